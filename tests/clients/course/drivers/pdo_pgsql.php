<?php
// PHP's PDO with pdo_pgsql.

$course = json_decode(stream_get_contents(STDIN));

function connect(object $at): PDO
{
    $dsn = "pgsql:host=$at->host;port=$at->port;dbname=$at->database;sslmode=verify-full;sslrootcert=$at->certificate";
    return new PDO($dsn, $at->user, $at->password, [PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_NUM]);
}

function rows(PDO $db, string $sql): array
{
    return $db->query($sql)->fetchAll();
}

function first(PDO $db, string $sql): array
{
    return $db->query($sql)->fetchAll(PDO::FETCH_COLUMN);
}

function introspects(PDO $db): array
{
    return [
        'tables' => first($db, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"),
        'columns' => first($db, "SELECT column_name FROM information_schema.columns
            WHERE table_name = 'people' ORDER BY ordinal_position"),
    ];
}

function every(callable $of): array
{
    global $course;
    $told = [];
    foreach ($course->questions as $asked) {
        $told[$asked->name] = $of($asked);
    }
    return $told;
}

function runs(PDO $db, object $asked): array
{
    global $course;
    $types = ['integer' => PDO::PARAM_INT, 'boolean' => PDO::PARAM_BOOL];
    $statement = $db->prepare(str_replace('$1', '?', $asked->sql));
    if ($asked->kind !== '') {
        $value = $asked->kind === 'boolean' ? $asked->value === 'true' : $asked->value;
        $statement->bindValue(1, $value, $types[$asked->kind] ?? PDO::PARAM_STR);
    }
    $told = [];
    for ($run = 0; $run < $course->times; $run++) {
        $statement->execute();
        $told[] = $statement->fetchAll();
    }
    return $told;
}

function cursor(PDO $db): array
{
    global $course;
    $db->beginTransaction();
    $statement = $db->prepare($course->by_sex, [PDO::ATTR_CURSOR => PDO::CURSOR_SCROLL]);
    $statement->execute();
    $told = [];
    while ($row = $statement->fetch(PDO::FETCH_NUM, PDO::FETCH_ORI_NEXT)) {
        $told[] = $row;
    }
    $statement->closeCursor();
    $db->commit();
    return $told;
}

function state(PDO $db, string $sql): ?string
{
    try {
        rows($db, $sql);
        return null;
    } catch (PDOException $fault) {
        return $fault->getCode();
    }
}

function errors(PDO $db): array
{
    global $course;
    $states = [state($db, $course->preview), state($db, $course->unknown_column)];
    $db->beginTransaction();
    array_push($states, state($db, $course->preview), state($db, 'SELECT 1'));
    $db->rollBack();
    return [...$states, rows($db, $course->by_sex)];
}

function part(PDO $db, object $course): array
{
    return match ($course->part) {
        'connects' => rows($db, 'SELECT current_user')[0],
        'introspects' => introspects($db),
        'answers' => every(fn ($asked) => rows($db, $asked->literal)),
        'prepared' => every(fn ($asked) => runs($db, $asked)),
        'cursor' => cursor($db),
        'errors' => errors($db),
    };
}

echo json_encode(part(connect($course->address), $course), JSON_THROW_ON_ERROR);
