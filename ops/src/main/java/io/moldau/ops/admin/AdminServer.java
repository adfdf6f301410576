package io.moldau.ops.admin;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.moldau.broker.NodeView;
import io.moldau.broker.config.MoldauKeys;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.lifecycle.StartException;
import io.moldau.ops.console.ConsoleFile;
import io.moldau.ops.console.ConsoleFiles;
import io.moldau.ops.json.Json;
import io.moldau.ops.metrics.Exposition;
import io.moldau.ops.metrics.NodeMetrics;
import io.moldau.ops.state.BrokerCalls;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The HTTP server of `admin.listener`: `/metrics`, `/live`, `/ready`, `/safe-to-stop`, `/api` and the console.
///
/// Answers from the moment it is bound, whether there is a node yet or not. Each request has a virtual thread, so that
/// clients that are slow to ask or to listen keep nobody waiting; connections, the time for a request and for an
/// answer, and scrapes and answers at a time are bounded. It only reads; [Access] says who may see what.
public final class AdminServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

    private static final int BACKLOG = 64;

    /// Each holds its text, megabytes where there are many partitions, until the client has it.
    private static final int SCRAPES = 2;

    private static final long SCRAPE_WAIT_SECONDS = 5;

    private static final int OK = 200;
    private static final int NOT_MODIFIED = 304;
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_ALLOWED = 405;
    private static final int FAILED = 500;
    private static final int UNAVAILABLE = 503;

    private static final String JSON = "application/json";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final String LOGIN = "Basic realm=\"Moldau\", charset=\"UTF-8\"";

    /// Nothing from elsewhere is loaded, and nothing is run but what is in the archive.
    private static final String CONTENT_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
                    + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final Map<String, List<String>> ALWAYS = Map.of(
            "X-Content-Type-Options", List.of("nosniff"),
            "Referrer-Policy", List.of("no-referrer"),
            "Cross-Origin-Resource-Policy", List.of("same-origin"));

    /// Each holds what it tells until the client has it.
    private static final int ANSWERS = 8;

    private static final long ANSWER_WAIT_SECONDS = 5;

    private final HttpServer server;
    private final ExecutorService executor;
    private final Semaphore scrapes = new Semaphore(SCRAPES);
    private final Semaphore answers = new Semaphore(ANSWERS);
    private final NodeMetrics metrics;
    private final Access access;
    private final ConsoleFiles console = new ConsoleFiles();
    private final AtomicReference<@Nullable Api> observed = new AtomicReference<>();

    private AdminServer(HttpServer server, NodeMetrics metrics, String token) {
        this.server = server;
        this.metrics = metrics;
        this.access = new Access(server.getAddress().getAddress().isLoopbackAddress(), token);
        this.executor = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("moldau-admin-", 0).factory());
        server.setExecutor(executor);
        server.createContext("/", this::serve);
        server.start();
    }

    /// Binds the address of the settings, or another port where they do not say which and that one is taken.
    ///
    /// @return null if the settings want none
    /// @throws StartException if the address cannot be bound
    public static @Nullable AdminServer open(NodeConfig config, NodeMetrics metrics) {
        String listener = config.get(MoldauKeys.ADMIN_LISTENER);
        NodeConfig.HostPort address = MoldauKeys.adminAddress(listener);
        if (address == null) {
            return null;
        }
        limit();
        try {
            return new AdminServer(
                    bind(address, config.isSet(MoldauKeys.ADMIN_LISTENER)),
                    metrics,
                    config.get(MoldauKeys.ADMIN_TOKEN));
        } catch (IOException e) {
            throw new StartException(
                    "The admin listener cannot bind " + listener + ": " + e.getMessage()
                            + ". Free the port, set admin.listener to another one, or leave it unset to have a free port "
                            + "taken.",
                    e);
        }
    }

    private static HttpServer bind(NodeConfig.HostPort address, boolean asked) throws IOException {
        var wanted = address.host().isEmpty()
                ? new InetSocketAddress(address.port())
                : new InetSocketAddress(address.host(), address.port());
        if (wanted.isUnresolved()) {
            throw new IOException("the host " + address.host() + " is not known");
        }
        try {
            return HttpServer.create(wanted, BACKLOG);
        } catch (BindException e) {
            if (asked) {
                throw e;
            }
            var server = HttpServer.create(new InetSocketAddress(wanted.getAddress(), 0), BACKLOG);
            LOG.info(
                    "the default admin port is taken, another one is used port={} instead={}",
                    address.port(),
                    server.getAddress().getPort());
            return server;
        }
    }

    /// The JDK's server takes its bounds from properties of the process alone.
    private static void limit() {
        setUnlessSet("sun.net.httpserver.maxReqTime", "10");
        setUnlessSet("sun.net.httpserver.maxRspTime", "20");
        setUnlessSet("sun.net.httpserver.maxReqHeaderSize", "65536");
        setUnlessSet("jdk.httpserver.maxConnections", "100");
    }

    private static void setUnlessSet(String name, String value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, value);
        }
    }

    /// The node is there.
    ///
    /// @param calls how it asks others; the caller closes it
    public void observe(NodeView node, BrokerCalls calls, String version) {
        observed.set(new Api(node, calls, metrics.rates(), version));
    }

    public int port() {
        return server.getAddress().getPort();
    }

    /// For people: where a browser on this machine finds it.
    public String url() {
        var address = server.getAddress().getAddress();
        String host = address.isAnyLocalAddress() ? "localhost" : address.getHostAddress();
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port();
    }

    private void serve(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getResponseHeaders().putAll(ALWAYS);
            String path = exchange.getRequestURI().getPath();
            switch (access.verdict(Api.isOpen(path), headers(exchange))) {
                case ALLOWED -> allowed(exchange, path);
                case OTHER_NAME -> fail(exchange, FORBIDDEN, "this interface is for this machine only");
                case OTHER_SITE -> fail(exchange, FORBIDDEN, "a page from elsewhere has no business here");
                case NOT_FROM_OUTSIDE ->
                    fail(
                            exchange,
                            FORBIDDEN,
                            "beyond loopback only health and metrics are shown; set admin.token to have the rest behind a"
                                    + " login");
                case NO_TOKEN -> {
                    exchange.getResponseHeaders().set("WWW-Authenticate", LOGIN);
                    fail(exchange, UNAUTHORIZED, "log in: any name, and admin.token as the password");
                }
            }
        } catch (RuntimeException e) {
            LOG.error(
                    "an admin request failed path={}", exchange.getRequestURI().getPath(), e);
            if (exchange.getResponseCode() < 0) {
                fail(exchange, FAILED, "this request failed; the node's log says why");
            }
        }
    }

    private static Access.Headers headers(HttpExchange exchange) {
        Headers headers = exchange.getRequestHeaders();
        return new Access.Headers(
                headers.getFirst("Host"),
                headers.getFirst("Authorization"),
                headers.getFirst("Sec-Fetch-Site"),
                headers.getFirst("Sec-Fetch-Mode"));
    }

    private void allowed(HttpExchange exchange, String path) throws IOException {
        if (!Set.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
            exchange.getResponseHeaders().set("Allow", "GET, HEAD");
            fail(exchange, NOT_ALLOWED, "only GET is served here");
            return;
        }
        switch (path) {
            case Api.LIVE -> json(exchange, OK, new Answers.Live(true));
            case Api.DESCRIPTION -> description(exchange);
            case Api.METRICS -> metrics(exchange);
            default -> {
                ConsoleFile file = console.find(path);
                if (file != null) {
                    file(exchange, file);
                } else {
                    answer(exchange, path);
                }
            }
        }
    }

    private void answer(HttpExchange exchange, String path) throws IOException {
        Api api = observed.get();
        if (api == null) {
            Answers.Ready not = new Answers.Ready(false, List.of("the node is starting"));
            json(exchange, UNAVAILABLE, path.equals(Api.READY) ? not : new Answers.Failure("the node is starting"));
            return;
        }
        boolean mine = false;
        try {
            mine = Api.isOpen(path) || answers.tryAcquire(ANSWER_WAIT_SECONDS, TimeUnit.SECONDS);
            if (!mine) {
                throw new Refusal(UNAVAILABLE, "others are asking; this node answers " + ANSWERS + " at a time");
            }
            Object answer = api.answer(
                    exchange.getRequestURI().getRawPath(),
                    exchange.getRequestURI().getRawQuery());
            if (answer instanceof Api.Not(Object what)) {
                json(exchange, UNAVAILABLE, what);
            } else {
                json(exchange, OK, answer);
            }
        } catch (Refusal e) {
            fail(exchange, e.status(), String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            // The server is closing.
            Thread.currentThread().interrupt();
        } finally {
            if (mine && !Api.isOpen(path)) {
                answers.release();
            }
        }
    }

    /// The browser asks again each time, and gets the file only if it is another one.
    private static void file(HttpExchange exchange, ConsoleFile file) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        headers.set("ETag", file.tag());
        headers.set("Cache-Control", "no-cache");
        headers.set("Content-Security-Policy", CONTENT_POLICY);
        if (file.tag().equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
            exchange.sendResponseHeaders(NOT_MODIFIED, -1);
            return;
        }
        body(exchange, OK, file.type(), file.bytes());
    }

    private void metrics(HttpExchange exchange) throws IOException {
        if (observed.get() == null) {
            fail(exchange, UNAVAILABLE, "the node is starting");
            return;
        }
        exchange.getResponseHeaders().set("Content-Type", PROMETHEUS);
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(OK, -1);
            return;
        }
        if (!mayScrape()) {
            fail(exchange, UNAVAILABLE, "others are scraping; once is enough for a node");
            return;
        }
        try {
            Exposition exposition = metrics.scrape();
            exchange.sendResponseHeaders(OK, exposition.size());
            try (OutputStream out = exchange.getResponseBody()) {
                exposition.writeTo(out);
            }
        } finally {
            scrapes.release();
        }
    }

    private boolean mayScrape() {
        try {
            return scrapes.tryAcquire(SCRAPE_WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            // The server is closing.
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void fail(HttpExchange exchange, int status, String error) throws IOException {
        json(exchange, status, new Answers.Failure(error));
    }

    private static void json(HttpExchange exchange, int status, Object answer) throws IOException {
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        body(exchange, status, JSON, (Json.line(answer) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void description(HttpExchange exchange) throws IOException {
        try (InputStream in = AdminServer.class.getResourceAsStream("openapi.json")) {
            if (in == null) {
                throw new IllegalStateException("the archive has no openapi.json");
            }
            exchange.getResponseHeaders().set("Cache-Control", "no-store");
            body(exchange, OK, JSON, in.readAllBytes());
        }
    }

    private static void body(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, head ? -1 : body.length);
        if (!head) {
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        }
    }

    /// Answers nothing more.
    @Override
    public void close() {
        server.stop(0);
        executor.shutdownNow();
    }
}
