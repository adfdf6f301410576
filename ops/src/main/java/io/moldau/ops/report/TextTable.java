package io.moldau.ops.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// Rows under headings, every column as wide as its widest cell. Numbers stand right, all else left.
public final class TextTable {

    private static final String GAP = "  ";

    private final List<String> headings;
    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... headings) {
        this.headings = List.of(headings);
    }

    public void row(Object... cells) {
        if (cells.length != headings.size()) {
            throw new IllegalArgumentException(cells.length + " cells under " + headings.size() + " headings");
        }
        rows.add(Arrays.stream(cells).map(String::valueOf).toList());
    }

    @Override
    public String toString() {
        int columns = headings.size();
        int[] widths = new int[columns];
        boolean[] right = new boolean[columns];
        for (int column = 0; column < columns; column++) {
            widths[column] = headings.get(column).length();
            right[column] = !rows.isEmpty();
            for (List<String> row : rows) {
                String cell = row.get(column);
                widths[column] = Math.max(widths[column], cell.length());
                right[column] &= isNumber(cell);
            }
        }
        var lines = new ArrayList<String>();
        lines.add(line(headings, widths, right));
        rows.forEach(row -> lines.add(line(row, widths, right)));
        return String.join("\n", lines);
    }

    private static boolean isNumber(String cell) {
        return cell.equals("-") || cell.matches("\\d*(\\.\\d+)?");
    }

    private static String line(List<String> cells, int[] widths, boolean[] right) {
        var line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            String cell = cells.get(column);
            String padding = " ".repeat(widths[column] - cell.length());
            line.append(column == 0 ? "" : GAP).append(right[column] ? padding + cell : cell + padding);
        }
        return line.toString().stripTrailing();
    }
}
