package io.moldau.ops.cli;

import io.moldau.ops.client.RawClient;
import io.moldau.wire.message.MetadataRequestData;
import io.moldau.wire.message.MetadataResponseData;
import io.moldau.wire.protocol.ApiKey;
import io.moldau.wire.protocol.MalformedMessageException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The real one.
final class ThisMachine implements Machine {

    private static final Logger LOG = LoggerFactory.getLogger(ThisMachine.class);
    private static final int DIAL_MS = 5000;

    /// Known to brokers of today and of some years ago.
    private static final short METADATA_VERSION = 4;

    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final int LISTENING = 0x0A;

    @Override
    public String dial(String host, int port) {
        var address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            return "the name " + host + " is not known here";
        }
        try (var socket = new Socket()) {
            socket.connect(address, DIAL_MS);
            return "";
        } catch (ConnectException e) {
            return "the connection is refused, nothing listens there";
        } catch (SocketTimeoutException e) {
            return "no answer within " + DIAL_MS / 1000 + " s, as behind a firewall";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Override
    public List<Advertised> advertised(String host, int port) {
        try (var client = new RawClient(new InetSocketAddress(host, port), "moldau")) {
            return client
                    .call(
                            ApiKey.METADATA,
                            METADATA_VERSION,
                            new MetadataRequestData().setTopics(List.of()),
                            MetadataResponseData.class)
                    .brokers()
                    .stream()
                    .map(broker -> new Advertised(broker.nodeId(), broker.host(), broker.port()))
                    .toList();
        } catch (IOException | MalformedMessageException e) {
            // With TLS or SASL it takes a real client, which says itself what it finds.
            LOG.debug("no addresses of brokers host={} port={}", host, port, e);
            return List.of();
        }
    }

    @Override
    public Answer get(URI uri) {
        try (var client = HttpClient.newBuilder().connectTimeout(ANSWER).build()) {
            HttpResponse<String> answer = client.send(
                    HttpRequest.newBuilder(uri).timeout(ANSWER).build(),
                    HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
            Map<String, String> headers = new HashMap<>();
            answer.headers()
                    .map()
                    .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), String.join(",", values)));
            return new Answer(answer.statusCode(), answer.body(), headers);
        } catch (ConnectException e) {
            return new Answer(0, "the connection is refused, nothing listens there", Map.of());
        } catch (IOException e) {
            return new Answer(0, String.valueOf(e.getMessage()), Map.of());
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    @Override
    public Map<String, String> environment() {
        return System.getenv();
    }

    /// By Linux' `/proc`; another system tells nothing.
    @Override
    public OptionalLong listener(int port) {
        Set<String> sockets = new HashSet<>();
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            try (Stream<String> lines = Files.lines(Path.of(table))) {
                lines.skip(1).map(line -> line.strip().split("\\s+", -1)).forEach(words -> {
                    String local = words[1].substring(words[1].lastIndexOf(':') + 1);
                    if (Integer.parseInt(local, 16) == port && Integer.parseInt(words[3], 16) == LISTENING) {
                        sockets.add("socket:[" + words[9] + "]");
                    }
                });
            } catch (IOException e) {
                LOG.debug("no table of sockets file={}", table, e);
            }
        }
        return sockets.isEmpty()
                ? OptionalLong.empty()
                : ProcessHandle.allProcesses()
                        .mapToLong(ProcessHandle::pid)
                        .filter(pid -> holds(pid, sockets))
                        .findFirst();
    }

    private static boolean holds(long pid, Set<String> sockets) {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
            for (Path link : open) {
                if (sockets.contains(Files.readSymbolicLink(link).toString())) {
                    return true;
                }
            }
        } catch (IOException e) {
            LOG.debug("another one's process pid={}", pid, e);
        }
        return false;
    }

    @Override
    public boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }

    @Override
    public boolean terminate(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::destroy).orElse(false);
    }

    @Override
    public void pause(Duration time) {
        try {
            // Nobody counts it down: it is a pause that can be interrupted.
            var ended = new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
            LOG.trace("paused ended={}", ended);
        } catch (InterruptedException e) {
            throw interrupted();
        }
    }

    private static ToolException interrupted() {
        Thread.currentThread().interrupt();
        return new ToolException("Interrupted.", "Run the command again.");
    }

    @Override
    public Stopping onStop(Runnable action) {
        var done = new CountDownLatch(1);
        var hook = Thread.ofPlatform().name("moldau-stopping").unstarted(() -> {
            action.run();
            try {
                if (!done.await(10, TimeUnit.SECONDS)) {
                    LOG.warn("the command did not end in time");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Runtime.getRuntime().addShutdownHook(hook);
        return () -> {
            done.countDown();
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                LOG.debug("the process is ending already", e);
            }
        };
    }
}
