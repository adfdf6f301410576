package io.moldau.log.clean;

import java.util.ArrayList;
import java.util.List;

/// Which neighbouring segments are compacted into one. Pure.
///
/// @param maxBytes what the segments of a group may have together before compaction
/// @param maxIndexBytes and each of their indexes
record SegmentGroups(long maxBytes, long maxIndexBytes) {

    /// @param endOffset where the next segment begins
    record Segment(long baseOffset, long endOffset, long sizeInBytes, long indexBytes) {}

    /// A run of segments, `to` exclusive.
    record Group(int from, int to) {}

    List<Group> of(List<Segment> segments) {
        var groups = new ArrayList<Group>();
        int from = 0;
        while (from < segments.size()) {
            var first = segments.get(from);
            long bytes = first.sizeInBytes();
            long index = first.indexBytes();
            int to = from + 1;
            while (to < segments.size()) {
                var next = segments.get(to);
                bytes += next.sizeInBytes();
                index += next.indexBytes();
                // The files hold offsets relative to the first.
                if (bytes > maxBytes
                        || index > maxIndexBytes
                        || next.endOffset() - first.baseOffset() > Integer.MAX_VALUE) {
                    break;
                }
                to++;
            }
            groups.add(new Group(from, to));
            from = to;
        }
        return groups;
    }
}
