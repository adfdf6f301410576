package io.moldau.wire.generator;

/// Collects Java source text and keeps the indentation.
final class JavaText {

    private final StringBuilder text = new StringBuilder();
    private int depth;

    JavaText line(String line) {
        if (!line.isEmpty()) {
            text.repeat(' ', 4 * depth).append(line);
        }
        text.append('\n');
        return this;
    }

    JavaText line() {
        return line("");
    }

    /// Writes `head {` and indents what follows.
    JavaText open(String head) {
        line(head + " {");
        depth++;
        return this;
    }

    /// Ends a block and starts the next with `} middle {`.
    JavaText middle(String middle) {
        depth--;
        line("} " + middle + " {");
        depth++;
        return this;
    }

    JavaText close() {
        depth--;
        return line("}");
    }

    /// A documentation comment, wrapped at 110 characters.
    JavaText doc(String doc) {
        var line = new StringBuilder();
        for (var word : doc.split("\\s+")) {
            if (line.length() + word.length() > 110) {
                line("/// " + line);
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        return line.isEmpty() ? this : line("/// " + line);
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
