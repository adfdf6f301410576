package io.moldau.ops.chaos.transaction;

import io.moldau.ops.chaos.transaction.Transaction.Id;
import java.nio.charset.StandardCharsets;

/// The value of a record, unique in a run: the `index`-th record of a transaction.
public record Mark(Id transaction, int index) {

    public byte[] encode() {
        return toString().getBytes(StandardCharsets.US_ASCII);
    }

    /// @throws IllegalArgumentException when [#encode] has not made it
    public static Mark decode(byte[] bytes) {
        var text = new String(bytes, StandardCharsets.US_ASCII);
        var words = text.split(":", -1);
        if (words.length != 3) {
            throw new IllegalArgumentException("not a record of this run: " + text);
        }
        return new Mark(new Id(Integer.parseInt(words[0]), Long.parseLong(words[1])), Integer.parseInt(words[2]));
    }

    @Override
    public String toString() {
        return transaction + ":" + index;
    }
}
