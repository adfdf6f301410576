package io.moldau.ops.metrics;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/// What a scrape answers, in Prometheus' text format, version 0.0.4. Owned by whoever asked for it.
public final class Exposition {

    private final ByteArrayOutputStream jvm;
    private final Samples samples;

    Exposition(ByteArrayOutputStream jvm, Samples samples) {
        this.jvm = jvm;
        this.samples = samples;
    }

    /// In bytes.
    public long size() {
        return jvm.size() + samples.size();
    }

    public void writeTo(OutputStream out) throws IOException {
        jvm.writeTo(out);
        samples.writeTo(out);
    }
}
