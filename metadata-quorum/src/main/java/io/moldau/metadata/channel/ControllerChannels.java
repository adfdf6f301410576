package io.moldau.metadata.channel;

/// The controllers a node can ask, one at a time.
public interface ControllerChannels {

    /// The one to ask now.
    NodeToController current();

    /// It did not answer, or not well: the next [#current()] is another one, if there is one.
    void failed(NodeToController channel);

    /// Always the same one.
    static ControllerChannels only(NodeToController channel) {
        return new ControllerChannels() {
            @Override
            public NodeToController current() {
                return channel;
            }

            @Override
            public void failed(NodeToController failed) {}
        };
    }
}
