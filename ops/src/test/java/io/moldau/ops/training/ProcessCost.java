package io.moldau.ops.training;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// What Linux says of a process.
///
/// @param cpuSeconds of it and of those it has waited for
/// @param residentMebibytes memory of the machine it takes up
record ProcessCost(double cpuSeconds, double residentMebibytes) {

    private static final double TICKS_PER_SECOND = 100;
    private static final double KIBIBYTES = 1024;

    static ProcessCost of(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
        // The name, in parentheses, may hold anything.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        long ticks = 0;
        for (int i = 11; i <= 14; i++) {
            ticks += Long.parseLong(fields[i]);
        }
        double resident = 0;
        for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/status"))) {
            if (line.startsWith("VmRSS:")) {
                resident = Long.parseLong(line.replaceAll("\\D", "")) / KIBIBYTES;
            }
        }
        return new ProcessCost(ticks / TICKS_PER_SECOND, resident);
    }
}
