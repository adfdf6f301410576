package io.moldau.broker.metadata;

import io.moldau.common.time.Timer;
import io.moldau.common.time.TimerTask;
import io.moldau.metadata.image.MetadataDelta;
import io.moldau.metadata.image.MetadataImage;
import io.moldau.metadata.image.loader.LoaderManifest;
import io.moldau.metadata.image.publisher.MetadataPublisher;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The newest metadata image of this node. The loader writes, anyone reads.
///
/// Requests whose effect others must see may wait here for the image that shows it: as many as there are requests in
/// progress, each until its deadline.
public final class MetadataCache implements MetadataPublisher {

    private final Timer timer;
    private final Queue<Wait> waits = new ConcurrentLinkedQueue<>();
    private volatile MetadataImage image = MetadataImage.EMPTY;

    public MetadataCache(Timer timer) {
        this.timer = timer;
    }

    public MetadataImage image() {
        return image;
    }

    /// Calls back once, with the first image that fits or, at the deadline, with whatever there is.
    ///
    /// @param action runs on the caller's, the loader's or the timer's thread: it must not block
    public void whenImage(Predicate<MetadataImage> fits, long deadlineNanos, Consumer<MetadataImage> action) {
        MetadataImage now = image;
        if (fits.test(now)) {
            action.accept(now);
            return;
        }
        Wait wait = new Wait(fits, action);
        waits.add(wait);
        wait.expiry = timer.schedule(deadlineNanos, () -> complete(wait));
        // An image may have come between the first look and the entry in the queue.
        if (fits.test(image)) {
            complete(wait);
        }
    }

    @Override
    public String name() {
        return "metadata cache";
    }

    @Override
    public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
        image = newImage;
    }

    /// Tells those who wait. Its own publisher, the last of all, so that whoever waits sees partitions in place and not
    /// only metadata.
    public MetadataPublisher notifier() {
        return new MetadataPublisher() {
            @Override
            public String name() {
                return "metadata waits";
            }

            @Override
            public void onMetadataUpdate(MetadataDelta delta, MetadataImage newImage, LoaderManifest manifest) {
                for (Wait wait : waits) {
                    if (wait.fits.test(newImage)) {
                        complete(wait);
                    }
                }
            }
        };
    }

    private void complete(Wait wait) {
        if (wait.done.compareAndSet(false, true)) {
            waits.remove(wait);
            TimerTask expiry = wait.expiry;
            if (expiry != null) {
                expiry.cancel();
            }
            wait.action.accept(image);
        }
    }

    private static final class Wait {
        final Predicate<MetadataImage> fits;
        final Consumer<MetadataImage> action;
        final AtomicBoolean done = new AtomicBoolean();
        volatile @Nullable TimerTask expiry;

        Wait(Predicate<MetadataImage> fits, Consumer<MetadataImage> action) {
            this.fits = fits;
            this.action = action;
        }
    }
}
