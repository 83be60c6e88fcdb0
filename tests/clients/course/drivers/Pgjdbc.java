// pgjdbc, with the tool's defaults: a statement is prepared in the server, with binary results, from its fifth run on.

import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.*;
import java.time.LocalDate;
import java.util.*;
import org.postgresql.PGConnection;

class Pgjdbc {
    static JsonObject course;

    public static void main(String[] arguments) throws Exception {
        course = JsonParser.parseReader(new InputStreamReader(System.in, "UTF-8")).getAsJsonObject();
        Object told;
        try (Connection connection = connect("")) {
            told = part(connection, text("part"));
        }
        System.out.println(new GsonBuilder().serializeNulls().create().toJson(told));
    }

    static Object part(Connection connection, String name) throws Exception {
        return switch (name) {
            case "connects" -> rows(connection, "SELECT current_user").get(0);
            case "introspects" -> introspects(connection);
            case "answers" -> answers(connection);
            case "prepared" -> prepared(connection, course.get("times").getAsInt());
            case "cursor" -> cursor(connection);
            case "copy" -> copy(connection);
            case "cancel" -> cancel(connection);
            case "errors" -> errors(connection);
            case "metadata" -> metadata(connection);
            case "described" -> described(connection);
            case "savepoints" -> savepoints(connection);
            case "modes" -> modes();
            default -> throw new IllegalArgumentException(name);
        };
    }

    static String text(String name) {
        return course.get(name).getAsString();
    }

    static Connection connect(String more) throws SQLException {
        JsonObject address = course.getAsJsonObject("address");
        Properties properties = new Properties();
        properties.setProperty("user", address.get("user").getAsString());
        properties.setProperty("password", address.get("password").getAsString());
        properties.setProperty("sslmode", "verify-full");
        properties.setProperty("sslrootcert", address.get("certificate").getAsString());
        String server = address.get("host").getAsString() + ":" + address.get("port").getAsString();
        return DriverManager.getConnection(
            "jdbc:postgresql://" + server + "/" + address.get("database").getAsString() + "?" + more, properties);
    }

    static List<List<Object>> all(ResultSet results) throws SQLException {
        List<List<Object>> rows = new ArrayList<>();
        int width = results.getMetaData().getColumnCount();
        while (results.next()) {
            List<Object> row = new ArrayList<>();
            for (int column = 1; column <= width; column++) row.add(results.getObject(column));
            rows.add(row);
        }
        return rows;
    }

    static List<Object> column(ResultSet results, String name) throws SQLException {
        List<Object> values = new ArrayList<>();
        while (results.next()) values.add(results.getString(name));
        return values;
    }

    static List<List<Object>> rows(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return all(statement.executeQuery(sql));
        }
    }

    static String state(Connection connection, String sql) {
        try {
            rows(connection, sql);
            return null;
        } catch (SQLException fault) {
            return fault.getSQLState();
        }
    }

    static Object introspects(Connection connection) throws SQLException {
        DatabaseMetaData about = connection.getMetaData();
        Map<String, Object> told = new HashMap<>();
        told.put("tables", column(about.getTables(null, "public", "%", new String[] {"TABLE"}), "TABLE_NAME"));
        told.put("columns", column(about.getColumns(null, "public", "people", "%"), "COLUMN_NAME"));
        told.put("primary key", column(about.getPrimaryKeys(null, "public", "people"), "COLUMN_NAME"));
        told.put("comment", column(about.getColumns(null, null, "people", "age"), "REMARKS").get(0));
        ResultSet link = about.getImportedKeys(null, "public", "visits");
        link.next();
        told.put("foreign key",
            List.of(link.getString("FKCOLUMN_NAME"), link.getString("PKTABLE_NAME"), link.getString("PKCOLUMN_NAME")));
        return told;
    }

    static Object answers(Connection connection) throws SQLException {
        Map<String, Object> told = new HashMap<>();
        for (JsonElement each : course.getAsJsonArray("questions")) {
            JsonObject asked = each.getAsJsonObject();
            told.put(asked.get("name").getAsString(), rows(connection, asked.get("literal").getAsString()));
        }
        return told;
    }

    static Object prepared(Connection connection, int times) throws SQLException {
        Map<String, Object> told = new HashMap<>();
        for (JsonElement each : course.getAsJsonArray("questions")) {
            JsonObject asked = each.getAsJsonObject();
            List<Object> runs = new ArrayList<>();
            String sql = asked.get("sql").getAsString().replace("$1", "?");
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int run = 0; run < times; run++) {
                    bind(statement, asked.get("kind").getAsString(), asked.get("value").getAsString());
                    runs.add(all(statement.executeQuery()));
                }
            }
            told.put(asked.get("name").getAsString(), runs);
        }
        return told;
    }

    static void bind(PreparedStatement statement, String kind, String value) throws SQLException {
        switch (kind) {
            case "integer" -> statement.setInt(1, Integer.parseInt(value));
            case "float" -> statement.setDouble(1, Double.parseDouble(value));
            case "text" -> statement.setString(1, value);
            case "date" -> statement.setObject(1, LocalDate.parse(value));
            case "boolean" -> statement.setBoolean(1, Boolean.parseBoolean(value));
            default -> { }
        }
    }

    static Object cursor(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement statement = connection.prepareStatement(text("by_sex"))) {
            statement.setFetchSize(1);
            return all(statement.executeQuery());
        }
    }

    static Object copy(Connection connection) throws Exception {
        StringWriter out = new StringWriter();
        connection.unwrap(PGConnection.class).getCopyAPI().copyOut("COPY (" + text("by_sex") + ") TO STDOUT", out);
        return out.toString().lines().map(line -> line.split("\t")).toList();
    }

    static Object cancel(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            Timer timer = new Timer(true);
            timer.schedule(new TimerTask() {
                public void run() {
                    try {
                        statement.cancel();
                    } catch (SQLException fault) {
                        throw new IllegalStateException(fault);
                    }
                }
            }, 300, 2000);
            String ended = null;
            try {
                statement.executeQuery(text("sleep"));
            } catch (SQLException fault) {
                ended = fault.getSQLState();
            }
            timer.cancel();
            return List.of(ended, rows(connection, "SELECT 1").get(0).get(0));
        }
    }

    static Object errors(Connection connection) throws SQLException {
        List<Object> told = new ArrayList<>();
        told.add(state(connection, text("preview")));
        told.add(state(connection, text("unknown_column")));
        connection.setAutoCommit(false);
        told.add(state(connection, text("preview")));
        told.add(state(connection, "SELECT 1"));
        connection.rollback();
        told.add(rows(connection, text("by_sex")));
        return told;
    }

    // What is JDBC's own.

    /** {method: rows or value} of every question that JDBC has about a database, with patterns for everything. */
    static Object metadata(Connection connection) throws Exception {
        DatabaseMetaData about = connection.getMetaData();
        Map<String, Object> told = new TreeMap<>();
        for (Method method : DatabaseMetaData.class.getMethods()) {
            if (method.getDeclaringClass() != DatabaseMetaData.class || method.getName().equals("getConnection")) continue;
            try {
                Object value = method.invoke(about, anything(method));
                told.put(method.getName(), value instanceof ResultSet results ? all(results) : value);
            } catch (InvocationTargetException fault) {
                told.put(method.getName(), "failed: " + fault.getCause());
            }
        }
        return told;
    }

    static final Set<String> OF_ONE_TABLE = Set.of("getIndexInfo", "getBestRowIdentifier", "getVersionColumns");

    static Object[] anything(Method method) {
        Class<?>[] types = method.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int at = 0; at < types.length; at++) {
            if (types[at] == int.class) arguments[at] = Connection.TRANSACTION_READ_COMMITTED;
            if (types[at] == boolean.class) arguments[at] = true;
        }
        if (OF_ONE_TABLE.contains(method.getName())) arguments[2] = "people";
        return arguments;
    }

    /** {question: [types of parameters, names of columns, types of columns]} before anything is run. */
    static Object described(Connection connection) throws SQLException {
        Map<String, Object> told = new HashMap<>();
        for (JsonElement each : course.getAsJsonArray("questions")) {
            JsonObject asked = each.getAsJsonObject();
            String sql = asked.get("sql").getAsString().replace("$1", "?");
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                ParameterMetaData parameters = statement.getParameterMetaData();
                ResultSetMetaData columns = statement.getMetaData();
                List<String> kinds = new ArrayList<>(), names = new ArrayList<>(), types = new ArrayList<>();
                for (int at = 1; at <= parameters.getParameterCount(); at++) kinds.add(parameters.getParameterTypeName(at));
                for (int at = 1; at <= columns.getColumnCount(); at++) names.add(columns.getColumnLabel(at));
                for (int at = 1; at <= columns.getColumnCount(); at++) types.add(columns.getColumnTypeName(at));
                told.put(asked.get("name").getAsString(), List.of(kinds, names, types));
            }
        }
        return told;
    }

    /** [SQLSTATE of the preview after a savepoint, rows of the question by sex when it is rolled back to]. */
    static Object savepoints(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        Savepoint savepoint = connection.setSavepoint();
        String refused = state(connection, text("preview"));
        connection.rollback(savepoint);
        List<List<Object>> rows = rows(connection, text("by_sex"));
        connection.commit();
        return List.of(refused, rows);
    }

    /** The questions of `prepared` in each of the ways that a tool may set the driver to. */
    static Object modes() throws SQLException {
        Map<String, Object> told = new HashMap<>();
        List<String> modes = List.of(
            "preferQueryMode=simple",
            "preferQueryMode=extendedCacheEverything&autosave=always",
            "prepareThreshold=-1&readOnly=true&readOnlyMode=always",
            "binaryTransfer=false&prepareThreshold=1&defaultRowFetchSize=1",
            "ApplicationName=tool&assumeMinServerVersion=12&options=-c%20dp.delta=1e-7");
        for (String mode : modes) {
            try (Connection connection = connect(mode)) {
                connection.setAutoCommit(false);
                told.put(mode, prepared(connection, 2));
            }
        }
        return told;
    }
}
