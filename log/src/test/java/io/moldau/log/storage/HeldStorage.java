package io.moldau.log.storage;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

/// A storage in which whoever opens certain files waits until a test lets go.
public final class HeldStorage {

    private final LogStorage storage;
    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch free = new CountDownLatch(1);

    public HeldStorage(LogStorage beneath, Predicate<Path> holds) {
        storage = (LogStorage) Proxy.newProxyInstance(
                LogStorage.class.getClassLoader(), new Class<?>[] {LogStorage.class}, (self, method, arguments) -> {
                    if (method.getName().equals("open") && holds.test((Path) arguments[0])) {
                        held.countDown();
                        free.await();
                    }
                    try {
                        return method.invoke(beneath, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    public LogStorage storage() {
        return storage;
    }

    /// Waits until somebody waits here.
    public void awaitHeld() throws InterruptedException {
        held.await();
    }

    public void letGo() {
        free.countDown();
    }
}
