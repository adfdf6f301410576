package io.moldau.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Runs one seed, or a range of seeds, and prints every event of it.
public final class Replay {

    private Replay() {}

    static String command(long seed) {
        return "./mvnw test -pl broker -am -Dtest=SimulationTest#everySeedHolds -Dmoldau.seed=" + seed
                + " -Dmoldau.trace=true -Dsurefire.failIfNoSpecifiedTests=false";
    }

    /// Arguments: the first seed and how many (1 if not given). One seed is printed event by event.
    public static void main(String[] arguments) throws IOException {
        long first = Long.parseLong(arguments[0]);
        long count = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        Path scratch = Files.createTempDirectory("simulation");
        long failed = 0;
        long start = System.nanoTime();
        long steps = 0;
        for (long seed = first; seed < first + count; seed++) {
            var cluster = new SimulatedCluster(seed, scratch, count == 1 ? System.out::println : null);
            try {
                cluster.run();
            } catch (SimulationFailure failure) {
                failed++;
                String message = String.valueOf(failure.getMessage());
                System.out.println(
                        count == 1 ? message : message.lines().limit(3).toList());
                if (count == 1 && failure.getCause() != null) {
                    failure.getCause().printStackTrace(System.out);
                }
            }
            steps += cluster.scheduler().steps();
            if (count == 1) {
                System.out.println("hash " + Long.toHexString(cluster.hash()));
            }
        }
        System.out.println(count + " seeds, " + failed + " failed, " + steps + " steps, "
                + (System.nanoTime() - start) / 1_000_000 + " ms");
    }
}
