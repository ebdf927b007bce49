package dev.slipway.upload;

/** Says why there is no build, or why {@code failOn} applies, in a sentence without a key or token. */
public final class SlipwayException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SlipwayException(String message) {
        super(inert(message));
    }

    /** The runners of GitHub and Azure read commands from lines of the log, such as ##[set-output name=x] and ::error::. */
    static String inert(String text) {
        return text.replaceAll("##(?=\\w*\\[)", "# #").replaceAll("(?m)^(\\s*):(?=:)", "$1: ");
    }
}
