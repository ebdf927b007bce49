package dev.slipway.upload;

/** Says why there is no build, or why {@code failOn} applies, in a sentence without a key or token. */
public final class SlipwayException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SlipwayException(String message) {
        super(message);
    }
}
