package io.moldau.wire.protocol;

/// Counts what a message would write.
public final class SizeCounter implements Writable {

    private int size;

    public int size() {
        return size;
    }

    private void add(int bytes) {
        size = Math.addExact(size, bytes);
    }

    @Override
    public void writeByte(int value) {
        add(1);
    }

    @Override
    public void writeShort(int value) {
        add(2);
    }

    @Override
    public void writeInt(int value) {
        add(4);
    }

    @Override
    public void writeLong(long value) {
        add(8);
    }

    @Override
    public void writeDouble(double value) {
        add(8);
    }

    @Override
    public void writeUnsignedVarint(int value) {
        add(Varints.sizeOfUnsigned(value));
    }

    @Override
    public void writeVarint(int value) {
        add(Varints.sizeOfUnsigned(Varints.zigzag(value)));
    }

    @Override
    public void writeVarlong(long value) {
        add(Varints.sizeOfUnsigned(Varints.zigzag(value)));
    }

    @Override
    public void writeBytes(byte[] value) {
        add(value.length);
    }

    @Override
    public void writeUtf8(String value, int utf8Length) {
        add(utf8Length);
    }

    @Override
    public void writeRecords(RecordBytes records) {
        add(records.sizeInBytes());
    }
}
