package io.moldau.log.clean;

import java.nio.ByteBuffer;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/// The newest offset of each key, in bounded memory: 24 bytes for a key of any length. Keys are told apart by 16 bytes
/// of their SHA-256, so that nobody can make up two keys of which one would vanish.
///
/// Grows as keys come, up to its bound. Not for use by several threads.
public final class OffsetMap {

    /// What a key takes.
    public static final int BYTES_PER_SLOT = 24;

    private static final int LONGS_PER_SLOT = 3;
    private static final int FIRST_SLOTS = 1024;

    private final int maxSlots;
    private final double loadFactor;
    private final MessageDigest digest = sha256();
    private final byte[] hash = new byte[digest.getDigestLength()];
    private final ByteBuffer hashed = ByteBuffer.wrap(hash);

    // Two halves of the hash, then the offset plus one; 0 there is a slot without a key.
    private long[] slots;
    private int slotCount;
    private int limit;
    private int size;

    /// @param maxBytes of memory
    /// @param loadFactor how full the memory may get, between 0 and 1
    public OffsetMap(long maxBytes, double loadFactor) {
        this.maxSlots = (int) Math.clamp(maxBytes / BYTES_PER_SLOT, 2, Integer.MAX_VALUE / LONGS_PER_SLOT - 8);
        this.loadFactor = Math.clamp(loadFactor, 0.1, 0.99);
        this.slots = resize(Math.min(FIRST_SLOTS, maxSlots));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }

    private long[] resize(int count) {
        slotCount = count;
        // One slot stays free, else a search would not end.
        limit = (int) Math.clamp((long) (count * loadFactor), 1, count - 1);
        return new long[count * LONGS_PER_SLOT];
    }

    /// Notes that the key has a record at `offset`, which is larger than that of any before.
    ///
    /// @return false if the key is new and there is no room for it
    public boolean put(ByteBuffer key, long offset) {
        hash(key);
        long high = hashed.getLong(0);
        long low = hashed.getLong(8);
        int at = find(high, low);
        if (slots[at + 2] == 0) {
            if (size >= limit) {
                if (slotCount == maxSlots) {
                    return false;
                }
                grow();
                at = find(high, low);
            }
            slots[at] = high;
            slots[at + 1] = low;
            size++;
        }
        slots[at + 2] = offset + 1;
        return true;
    }

    /// The newest offset of the key, -1 if it has none.
    public long get(ByteBuffer key) {
        hash(key);
        return slots[find(hashed.getLong(0), hashed.getLong(8)) + 2] - 1;
    }

    private void hash(ByteBuffer key) {
        digest.update(key.duplicate());
        try {
            digest.digest(hash, 0, hash.length);
        } catch (DigestException e) {
            throw new IllegalStateException("The buffer has the size of the digest", e);
        }
    }

    /// Where the key's slot begins, or the free one where it belongs.
    private int find(long high, long low) {
        int slot = (int) Math.unsignedMultiplyHigh(high, slotCount);
        while (true) {
            int at = slot * LONGS_PER_SLOT;
            if (slots[at + 2] == 0 || (slots[at] == high && slots[at + 1] == low)) {
                return at;
            }
            slot = slot + 1 == slotCount ? 0 : slot + 1;
        }
    }

    private void grow() {
        var old = slots;
        slots = resize((int) Math.min(2L * slotCount, maxSlots));
        for (int from = 0; from < old.length; from += LONGS_PER_SLOT) {
            if (old[from + 2] != 0) {
                System.arraycopy(old, from, slots, find(old[from], old[from + 1]), LONGS_PER_SLOT);
            }
        }
    }

    /// Forgets all keys and keeps the memory.
    public void clear() {
        Arrays.fill(slots, 0);
        size = 0;
    }

    public int size() {
        return size;
    }

    /// How much of the memory that may be used is in use, between 0 and 1.
    public double utilization() {
        return (double) size / maxSlots;
    }
}
