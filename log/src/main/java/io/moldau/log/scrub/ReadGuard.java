package io.moldau.log.scrub;

import io.moldau.common.ApiException;
import io.moldau.common.Errors;
import io.moldau.log.segment.CheckedRegions;
import io.moldau.log.segment.LogSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Lets readers of one log have only batches that were looked at: written by this process lately, or checked before
/// they are served. Remembers what was found to be damaged until it is mended.
///
/// Readers ask on any thread and take no lock. [#found], [#mended] and [#hopeless] are called under the log's lock.
public final class ReadGuard {

    /// Of a log that is damaged in more places the rest is found by every reader anew.
    private static final int MOST_DAMAGES = 1_000;

    /// What a reader may have.
    ///
    /// @param start where the batch begins that holds the offset, -1 if that one is damaged
    /// @param end behind the last batch that was checked
    /// @param stoppedAt the damage that `end` is before, null if there is none
    /// @param found damage on the way, which nobody knew of
    public record Admission(int start, int end, @Nullable Damage stoppedAt, List<Damage> found) {}

    private volatile List<Damage> damages = List.of();

    /// All that is known, in no order.
    public List<Damage> damages() {
        return damages;
    }

    /// Looks for the batch that holds `offset`, or the first one behind it, and checks so many bytes from there.
    ///
    /// @return null if the segment ends before
    /// @throws ApiException if that batch is known to be damaged
    public @Nullable Admission admit(
            LogSegment segment, SegmentCheck.Bounds bounds, long offset, int wantedBytes, ByteBuffer buffer)
            throws IOException {
        refuse(segment, offset);
        var check = new SegmentCheck(segment, bounds, buffer);
        begin(check, segment, bounds, offset);
        var found = new ArrayList<Damage>();
        int regionStart = check.nextPosition();
        int start = -1;
        while (true) {
            if (!check.next()) {
                note(segment, check, regionStart);
                var damage = check.damage();
                if (damage == null) {
                    return start < 0 && found.isEmpty()
                            ? null
                            : new Admission(start, check.nextPosition(), null, found);
                }
                if (!isKnown(damage)) {
                    found.add(damage);
                }
                if (start >= 0 || damage.toOffset() > offset) {
                    return new Admission(start, check.nextPosition(), damage, found);
                }
                check.skip();
                regionStart = check.nextPosition();
                continue;
            }
            if (start < 0 && check.lastOffset() >= offset) {
                start = check.position();
            }
            if (start >= 0 && check.nextPosition() - start >= wantedBytes) {
                note(segment, check, regionStart);
                return new Admission(start, check.nextPosition(), null, found);
            }
        }
    }

    /// Goes to the nearest place before the offset that can be trusted to be the beginning of a batch.
    private void begin(SegmentCheck check, LogSegment segment, SegmentCheck.Bounds bounds, long offset)
            throws IOException {
        int best = 0;
        var region = segment.checkedRegions().before(offset);
        if (region != null && region.to() <= bounds.size()) {
            best = region.to();
            check.startAt(best, region.nextOffset());
        }
        for (var damage : damages) {
            if (damage.segment() == segment.baseOffset()
                    && damage.ofRecords()
                    && damage.toOffset() <= offset
                    && damage.toPosition() > best) {
                best = damage.toPosition();
                check.startAt(best, damage.toOffset());
            }
        }
        var entry = segment.entryAtOrBefore(offset);
        if (entry != null && entry.position() > best && entry.position() < bounds.size() && !check.startAt(entry)) {
            begin(check, segment.baseOffset(), region, bounds);
        }
    }

    private static void begin(
            SegmentCheck check, long baseOffset, CheckedRegions.@Nullable Region region, SegmentCheck.Bounds bounds) {
        if (region != null && region.to() <= bounds.size()) {
            check.startAt(region.to(), region.nextOffset());
        } else {
            check.startAt(0, baseOffset);
        }
    }

    private static void note(LogSegment segment, SegmentCheck check, int regionStart) {
        if (check.nextPosition() > regionStart) {
            segment.checkedRegions()
                    .add(new CheckedRegions.Region(regionStart, check.nextPosition(), check.nextOffset()));
        }
    }

    private void refuse(LogSegment segment, long offset) {
        for (var damage : damages) {
            if (damage.segment() == segment.baseOffset() && damage.ofRecords() && damage.holds(offset)) {
                throw refusal(damage);
            }
        }
    }

    /// What a reader is told who asks for records that are damaged.
    public static ApiException refusal(Damage damage) {
        String records = "Records " + damage.fromOffset() + " to " + (damage.toOffset() - 1) + " are damaged here, "
                + damage.what();
        return damage.hopeless()
                ? new ApiException(
                        Errors.CORRUPT_MESSAGE,
                        records + ". No other replica in sync has them: go on from offset " + damage.toOffset()
                                + ", or restore the file")
                // A client comes back for this by itself.
                : new ApiException(Errors.KAFKA_STORAGE_ERROR, records + ". They are fetched from another replica");
    }

    // ---- what is known

    private boolean isKnown(Damage damage) {
        for (var known : damages) {
            if (isSame(known, damage)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSame(Damage known, Damage damage) {
        return known.segment() == damage.segment()
                && known.fromPosition() == damage.fromPosition()
                && known.ofRecords() == damage.ofRecords();
    }

    /// Takes note of damage.
    ///
    /// @return what was not known
    public List<Damage> found(List<Damage> found) {
        var fresh = found.stream().filter(damage -> !isKnown(damage)).toList();
        var after = new ArrayList<>(damages);
        for (var damage : fresh) {
            if (after.size() < MOST_DAMAGES) {
                after.add(damage);
            }
        }
        damages = List.copyOf(after);
        return fresh;
    }

    /// Nobody could be found who has these records sound; or somebody may have them now.
    public void hopeless(Damage damage, boolean isHopeless) {
        damages = damages.stream()
                .map(known -> isSame(known, damage) ? known.withHopeless(isHopeless) : known)
                .toList();
    }

    /// Other files have taken the place of those segments, or the log does not have them any more.
    public void gone(List<LogSegment> segments) {
        if (!damages.isEmpty()) {
            damages = damages.stream()
                    .filter(damage -> segments.stream().noneMatch(s -> s.baseOffset() == damage.segment()))
                    .toList();
        }
    }

    /// Records from there on are gone.
    public void cut(long endOffset) {
        if (!damages.isEmpty()) {
            damages = damages.stream()
                    .filter(damage -> damage.fromOffset() < endOffset)
                    .toList();
        }
    }

    /// Records before it are gone.
    public void started(long logStartOffset) {
        if (!damages.isEmpty()) {
            damages = damages.stream()
                    .filter(damage -> !damage.ofRecords() || damage.toOffset() > logStartOffset)
                    .toList();
        }
    }
}
