package io.moldau.broker.api.data;

/// Decides whether a fetch of old records may be read on the event loop: only while such reads have lately been
/// fast, so that they came from the page cache and not from the disk.
///
/// One slow read on an event loop takes the credit away; several fast ones in a row on a reader thread give some.
/// Guarded by the session it belongs to.
final class ColdReadCredit {

    /// Reading this many bytes per microsecond or more cannot be a disk. A page cache gives several thousand.
    private static final int FAST_BYTES_PER_MICROSECOND = 400;

    private static final long ALWAYS_FAST_NANOS = 40_000;
    private static final int FAST_READS_NEEDED = 4;
    private static final int READS_GRANTED = 32;

    private int fastInARow;
    private int granted;

    /// Whether the next read may be done on the event loop; takes one from the credit.
    boolean spend() {
        if (granted == 0) {
            return false;
        }
        granted--;
        return true;
    }

    /// A read was done, wherever.
    void measured(long bytes, long nanos) {
        if (nanos > ALWAYS_FAST_NANOS && nanos / 1000 * FAST_BYTES_PER_MICROSECOND > bytes) {
            fastInARow = 0;
            granted = 0;
            return;
        }
        if (++fastInARow >= FAST_READS_NEEDED && granted == 0) {
            granted = READS_GRANTED;
            fastInARow = 0;
        }
    }
}
