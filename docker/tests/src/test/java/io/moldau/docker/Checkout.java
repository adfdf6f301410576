package io.moldau.docker;

import java.nio.file.Files;
import java.nio.file.Path;

/// Folders of this checkout.
final class Checkout {

    static final Path ROOT = root();
    static final Path DOCKER = ROOT.resolve("docker");

    private Checkout() {}

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("LICENSE"))) {
            folder = folder.getParent();
            if (folder == null) {
                throw new IllegalStateException("Run the test from inside the checkout.");
            }
        }
        return folder;
    }
}
