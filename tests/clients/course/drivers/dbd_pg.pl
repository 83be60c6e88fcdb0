# Perl's DBD::Pg.
use strict;
use warnings;
use DBI qw(:sql_types);
use DBD::Pg qw(:async);
use JSON::PP;

my $course = decode_json(do { local $/; <STDIN> });
my $at = $course->{address};
my $db = DBI->connect(
    "dbi:Pg:host=$at->{host};port=$at->{port};dbname=$at->{database};sslmode=verify-full;sslrootcert=$at->{certificate}",
    $at->{user}, $at->{password}, { RaiseError => 1, PrintError => 0, PrintWarn => 0, AutoCommit => 1, pg_bool_tf => 1 },
);

sub rows { $db->selectall_arrayref(@_) }

sub each_question {
    my $of = shift;
    return { map { $_->{name} => $of->($_) } @{ $course->{questions} } };
}

sub state_of {
    my $sql = shift;
    return eval { rows($sql); 1 } ? undef : $db->state;
}

my %types = (integer => SQL_INTEGER, float => SQL_DOUBLE, text => SQL_VARCHAR, date => SQL_TYPE_DATE, boolean => SQL_BOOLEAN);

sub runs {
    my $asked = shift;
    my $statement = $db->prepare($asked->{sql}, { pg_prepare_now => 1 });
    $statement->bind_param('$1', $asked->{value}, $types{ $asked->{kind} }) if $asked->{kind};
    return [map { $statement->execute; $statement->fetchall_arrayref } 1 .. $course->{times}];
}

sub introspects {
    my $link = $db->foreign_key_info(undef, undef, undef, undef, 'public', 'visits')->fetchrow_hashref;
    my $columns = $db->column_info(undef, 'public', 'people', undef)->fetchall_arrayref({});
    my ($age) = grep { $_->{COLUMN_NAME} eq 'age' } @$columns;
    return {
        tables => [map { $_->{TABLE_NAME} } @{ $db->table_info(undef, 'public', undef, 'TABLE')->fetchall_arrayref({}) }],
        columns => [map { $_->{COLUMN_NAME} } @$columns],
        'primary key' => [$db->primary_key(undef, 'public', 'people')],
        'foreign key' => [map { $link->{$_} } qw(FK_COLUMN_NAME UK_TABLE_NAME UK_COLUMN_NAME)],
        comment => $age->{REMARKS},
    };
}

sub cursor {
    $db->begin_work;
    $db->do("DECLARE one_by_one CURSOR FOR $course->{by_sex}");
    my @read;
    while (my @next = @{ rows('FETCH 1 FROM one_by_one') }) { push @read, @next }
    $db->commit;
    return \@read;
}

sub copy {
    $db->do("COPY ($course->{by_sex}) TO STDOUT");
    my @read;
    my $line = '';
    while ($db->pg_getcopydata($line) >= 0) { chomp $line; push @read, [split /\t/, $line] }
    return \@read;
}

sub cancel {
    my $statement = $db->prepare($course->{sleep}, { pg_async => PG_ASYNC });
    $statement->execute;
    select undef, undef, undef, 0.5;
    $statement->pg_cancel;
    return [$statement->state, rows('SELECT 1')->[0][0]];
}

sub errors {
    my @states = (state_of($course->{preview}), state_of($course->{unknown_column}));
    $db->begin_work;
    push @states, state_of($course->{preview}), state_of('SELECT 1');
    $db->rollback;
    return [@states, rows($course->{by_sex})];
}

my %parts = (
    connects => sub { rows('SELECT current_user')->[0] },
    introspects => \&introspects,
    answers => sub { each_question(sub { rows($_[0]{literal}) }) },
    prepared => sub { each_question(\&runs) },
    cursor => \&cursor,
    copy => \&copy,
    cancel => \&cancel,
    errors => \&errors,
);
print encode_json($parts{ $course->{part} }->());
$db->disconnect;
