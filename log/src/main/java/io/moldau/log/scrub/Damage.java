package io.moldau.log.scrub;

/// Bytes of a segment file that are not what was written, between the last sound batch before them and the first one
/// behind.
///
/// @param segment base offset of the segment
/// @param fromOffset the records from here
/// @param toOffset up to here, exclusive, may be lost on this node; the same as `fromOffset` if only an index is
/// damaged
/// @param what is wrong, with the file and the place in it
/// @param hopeless whether nobody was found who has them sound, at the last try
public record Damage(
        long segment, int fromPosition, int toPosition, long fromOffset, long toOffset, String what, boolean hopeless) {

    public boolean holds(long offset) {
        return fromOffset <= offset && offset < toOffset;
    }

    /// Whether records are missing, and not only the way to them.
    public boolean ofRecords() {
        return toPosition > fromPosition;
    }

    public Damage withHopeless(boolean isHopeless) {
        return new Damage(segment, fromPosition, toPosition, fromOffset, toOffset, what, isHopeless);
    }
}
