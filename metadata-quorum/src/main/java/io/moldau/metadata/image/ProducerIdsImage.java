package io.moldau.metadata.image;

/// The first producer id that belongs to no broker's block yet.
public record ProducerIdsImage(long nextProducerId) {

    public static final ProducerIdsImage EMPTY = new ProducerIdsImage(0);
}
