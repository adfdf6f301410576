package io.moldau.wire.generator;

/// An inclusive range of message versions. Empty when `highest` lies below `lowest`.
record VersionRange(int lowest, int highest) {

    static final VersionRange NONE = new VersionRange(0, -1);
    static final VersionRange ALL = new VersionRange(0, Short.MAX_VALUE);

    /// Parses `none`, `3`, `3+` and `3-7`.
    static VersionRange parse(String text) {
        var range = text.strip();
        if (range.equals("none")) {
            return NONE;
        }
        try {
            if (range.endsWith("+")) {
                return new VersionRange(Short.parseShort(range.substring(0, range.length() - 1)), Short.MAX_VALUE);
            }
            int dash = range.indexOf('-');
            if (dash < 0) {
                var only = Short.parseShort(range);
                return new VersionRange(only, only);
            }
            return new VersionRange(
                    Short.parseShort(range.substring(0, dash)), Short.parseShort(range.substring(dash + 1)));
        } catch (NumberFormatException e) {
            throw new SchemaException("'" + text + "' is no version range; write none, 3, 3+ or 3-7");
        }
    }

    boolean isEmpty() {
        return highest < lowest;
    }

    boolean contains(int version) {
        return lowest <= version && version <= highest;
    }

    boolean contains(VersionRange other) {
        return other.isEmpty() || (lowest <= other.lowest && other.highest <= highest);
    }

    VersionRange intersect(VersionRange other) {
        var both = new VersionRange(Math.max(lowest, other.lowest), Math.min(highest, other.highest));
        return both.isEmpty() ? NONE : both;
    }

    /// The part of this range below the other one; the other one must be empty or reach to the end of this.
    VersionRange below(VersionRange other) {
        if (other.isEmpty()) {
            return this;
        }
        if (other.highest < highest) {
            throw new SchemaException("tagged versions " + other + " end before the field's versions " + this);
        }
        var rest = new VersionRange(lowest, Math.min(highest, other.lowest - 1));
        return rest.isEmpty() ? NONE : rest;
    }

    /// The Java condition on the variable `version` that holds inside this range, given that the version is inside
    /// `known`: `true` and `false` when that alone decides.
    String condition(VersionRange known) {
        var inside = intersect(known);
        if (inside.isEmpty()) {
            return "false";
        }
        var atLeast = inside.lowest > known.lowest ? "version >= " + inside.lowest : "";
        var atMost = inside.highest < known.highest ? "version <= " + inside.highest : "";
        if (atLeast.isEmpty() && atMost.isEmpty()) {
            return "true";
        }
        return atLeast.isEmpty() || atMost.isEmpty() ? atLeast + atMost : atLeast + " && " + atMost;
    }

    @Override
    public String toString() {
        return isEmpty() ? "none" : highest == Short.MAX_VALUE ? lowest + "+" : lowest + "-" + highest;
    }
}
