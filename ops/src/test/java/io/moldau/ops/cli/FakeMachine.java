package io.moldau.ops.cli;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/// A machine on which nothing happens but what a test says.
final class FakeMachine implements Machine {

    final List<String> told = new ArrayList<>();
    /// Why an address takes no connection.
    final Map<String, String> unreachable = new HashMap<>();
    /// What an address answers; the last one again and again.
    final Map<URI, Deque<Answer>> answers = new HashMap<>();

    final Map<String, String> environment = new HashMap<>();
    final Map<Integer, Long> listeners = new HashMap<>();
    final Set<Long> processes = new HashSet<>();
    /// How many pauses a process survives that was asked to stop.
    int pausesUntilGone = 1;

    private final Set<Long> stopping = new HashSet<>();

    void answer(String uri, int status, String body) {
        answers.computeIfAbsent(URI.create(uri), _ -> new ArrayDeque<>()).add(new Answer(status, body, Map.of()));
    }

    @Override
    public String dial(String host, int port) {
        return unreachable.getOrDefault(host + ":" + port, "");
    }

    /// What any broker says.
    final List<Advertised> advertised = new ArrayList<>();

    @Override
    public List<Advertised> advertised(String host, int port) {
        return advertised;
    }

    @Override
    public Answer get(URI uri) {
        Deque<Answer> left = answers.getOrDefault(uri, new ArrayDeque<>());
        Answer next = left.size() > 1 ? left.poll() : left.peek();
        return next == null ? new Answer(0, "nothing listens there", Map.of()) : next;
    }

    @Override
    public Map<String, String> environment() {
        return environment;
    }

    @Override
    public OptionalLong listener(int port) {
        Long pid = listeners.get(port);
        return pid == null ? OptionalLong.empty() : OptionalLong.of(pid);
    }

    @Override
    public boolean isAlive(long pid) {
        return processes.contains(pid);
    }

    @Override
    public boolean terminate(long pid) {
        told.add("terminate " + pid);
        stopping.add(pid);
        return processes.contains(pid);
    }

    @Override
    public void pause(Duration time) {
        told.add("pause");
        if (!stopping.isEmpty() && --pausesUntilGone <= 0) {
            processes.removeAll(stopping);
        }
    }

    @Override
    public Stopping onStop(Runnable action) {
        return () -> told.add("stopping closed");
    }
}
