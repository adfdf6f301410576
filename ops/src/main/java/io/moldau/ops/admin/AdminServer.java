package io.moldau.ops.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.moldau.broker.NodeView;
import io.moldau.broker.config.MoldauKeys;
import io.moldau.broker.config.NodeConfig;
import io.moldau.broker.lifecycle.StartException;
import io.moldau.ops.json.Json;
import io.moldau.ops.metrics.NodeMetrics;
import io.moldau.ops.state.GroupLags;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The HTTP server of `admin.listener`: `/metrics`, `/live`, `/ready`, `/safe-to-stop` and `/api`.
///
/// Answers from the moment it is bound, whether there is a node yet or not. Each request has a virtual thread, so that
/// clients that are slow to ask or to listen keep nobody waiting; connections, the time for a request and for an
/// answer,
/// and scrapes at a time are bounded. It only reads, so it knows no login, and a browser that was sent here under
/// another name is turned away.
public final class AdminServer implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

    private static final int BACKLOG = 64;

    /// Each holds its text, megabytes where there are many partitions, until the client has it.
    private static final int SCRAPES = 2;

    private static final long SCRAPE_WAIT_SECONDS = 5;

    private static final int OK = 200;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int NOT_ALLOWED = 405;
    private static final int FAILED = 500;
    private static final int UNAVAILABLE = 503;

    private static final String JSON = "application/json";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
    private static final String TOPIC = "/api/v1/topics/";

    private static final Set<String> LOOPBACK_NAMES = Set.of("localhost", "127.0.0.1", "::1");

    private final HttpServer server;
    private final ExecutorService executor;
    private final Semaphore scrapes = new Semaphore(SCRAPES);
    private final NodeMetrics metrics;
    private final boolean loopback;
    private final AtomicReference<@Nullable Observation> observed = new AtomicReference<>();

    private AdminServer(HttpServer server, NodeMetrics metrics) {
        this.server = server;
        this.metrics = metrics;
        this.loopback = server.getAddress().getAddress().isLoopbackAddress();
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
            return new AdminServer(bind(address, config.isSet(MoldauKeys.ADMIN_LISTENER)), metrics);
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
    /// @param lags null on a node that is no broker
    public void observe(NodeView node, @Nullable GroupLags lags, String version) {
        observed.set(new Observation(node, lags, version));
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
            if (loopback && !isOwnName(exchange.getRequestHeaders().getFirst("Host"))) {
                fail(exchange, FORBIDDEN, "this interface is for this machine only");
            } else if (!Set.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
                exchange.getResponseHeaders().set("Allow", "GET, HEAD");
                fail(exchange, NOT_ALLOWED, "only GET is served here");
            } else {
                route(exchange);
            }
        } catch (RuntimeException e) {
            LOG.error(
                    "an admin request failed path={}", exchange.getRequestURI().getPath(), e);
            if (exchange.getResponseCode() < 0) {
                fail(exchange, FAILED, "this request failed; the node's log says why");
            }
        }
    }

    /// A page from elsewhere can have its own name point to this machine, and read what it likes; the name tells.
    private static boolean isOwnName(@Nullable String host) {
        if (host == null) {
            return true;
        }
        String name = host.replaceFirst(":\\d+$", "").replace("[", "").replace("]", "");
        return LOOPBACK_NAMES.contains(name.toLowerCase(Locale.ROOT)) || name.startsWith("127.");
    }

    private void route(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        switch (path) {
            case "/live" -> json(exchange, OK, new Answers.Live(true));
            case "/api/openapi.json" -> resource(exchange, "openapi.json", JSON);
            default -> {
                Observation node = observed.get();
                if (node != null) {
                    route(exchange, path, node);
                } else if (path.equals("/ready")) {
                    json(exchange, UNAVAILABLE, new Answers.Ready(false, List.of("the node is starting")));
                } else {
                    fail(exchange, UNAVAILABLE, "the node is starting");
                }
            }
        }
    }

    private void route(HttpExchange exchange, String path, Observation node) throws IOException {
        switch (path) {
            case "/metrics" -> metrics(exchange);
            case "/ready" -> {
                Answers.Ready ready = node.ready();
                json(exchange, ready.ready() ? OK : UNAVAILABLE, ready);
            }
            case "/safe-to-stop" -> {
                Answers.Safe safe = node.safeToStop();
                json(exchange, safe.safeToStop() ? OK : UNAVAILABLE, safe);
            }
            case "/api/v1/cluster" -> json(exchange, OK, node.cluster());
            case "/api/v1/brokers" -> json(exchange, OK, node.brokers());
            case "/api/v1/topics" -> json(exchange, OK, node.topics());
            case "/api/v1/groups" -> json(exchange, OK, node.groups());
            case "/api/v1/quorum" -> {
                Answers.QuorumAnswer quorum = node.quorum();
                if (quorum == null) {
                    fail(exchange, UNAVAILABLE, "the metadata quorum has no leader that answers");
                } else {
                    json(exchange, OK, quorum);
                }
            }
            default -> {
                if (path.startsWith(TOPIC)) {
                    topic(exchange, node);
                } else {
                    fail(exchange, NOT_FOUND, "there is nothing at " + path + "; /api/openapi.json says what there is");
                }
            }
        }
    }

    private void topic(HttpExchange exchange, Observation node) throws IOException {
        String raw = exchange.getRequestURI().getRawPath().substring(TOPIC.length());
        String name = URLDecoder.decode(raw.replace("+", "%2B"), StandardCharsets.UTF_8);
        Answers.Topic topic = node.topic(name);
        if (topic == null) {
            fail(exchange, NOT_FOUND, "there is no topic " + name);
        } else {
            json(exchange, OK, topic);
        }
    }

    private void metrics(HttpExchange exchange) throws IOException {
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
            exchange.sendResponseHeaders(OK, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                metrics.write(out);
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
        send(exchange, status, JSON, (Json.line(answer) + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static void resource(HttpExchange exchange, String name, String type) throws IOException {
        try (InputStream in = AdminServer.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the archive has no " + name);
            }
            send(exchange, OK, type, in.readAllBytes());
        }
    }

    private static void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set("Cache-Control", "no-store");
        exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
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
