package io.moldau.sim;

import java.util.Arrays;

/// What was last seen in one replica's log, record by record: the epoch and the content at each offset.
final class ReplicaMirror {

    private int[] epochs = new int[64];
    private long[] contents = new long[64];
    private int size;
    private boolean lossy;
    private boolean lossPossible;
    private long lostUnder = -1;
    private boolean takenAway;

    int size() {
        return size;
    }

    int epoch(int offset) {
        return epochs[offset];
    }

    long content(int offset) {
        return contents[offset];
    }

    void append(int epoch, long content) {
        if (size == epochs.length) {
            epochs = Arrays.copyOf(epochs, 2 * size);
            contents = Arrays.copyOf(contents, 2 * size);
        }
        epochs[size] = epoch;
        contents[size] = content;
        size++;
    }

    void cut(int to) {
        size = Math.min(size, to);
    }

    /// A reassignment took the replica away: its log is to be deleted, and a later one begins anew.
    void takenAway() {
        takenAway = true;
    }

    boolean isTakenAway() {
        return takenAway;
    }

    /// The replica was looked at after a process opened it.
    void isHere() {
        takenAway = false;
    }

    /// The machine lost its power: the log may have lost records that it had, until it is looked at again.
    ///
    /// @param brokerEpoch the registration of the process that had them
    void loseUnforced(long brokerEpoch) {
        lossPossible = true;
        lostUnder = brokerEpoch;
    }

    /// Whether the controller cannot know of the loss yet: it has heard of no later process.
    boolean isLossUnknown(long brokerEpoch) {
        return isDamaged() && brokerEpoch <= lostUnder;
    }

    boolean isLossPossible() {
        return lossPossible;
    }

    /// The log was looked at after a loss of power.
    void lookedAtAfterLoss(boolean lost) {
        lossPossible = false;
        lossy |= lost;
    }

    /// Whether it lost records since it was last in step with its leader.
    boolean isLossy() {
        return lossy;
    }

    /// Whether it has, or may have, less than it had.
    boolean isDamaged() {
        return lossy || lossPossible;
    }

    void caughtUp() {
        lossy = false;
    }
}
