package io.moldau.metadata.image;

/// The levels of a feature that a node supports, both ends included.
public record VersionRange(short min, short max) {

    public boolean contains(int level) {
        return min <= level && level <= max;
    }
}
