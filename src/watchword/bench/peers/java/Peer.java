import java.util.List;
import java.util.stream.Stream;

/** A library that matches events against subscriptions, both given as lines of text in the form that it reads. */
interface Peer {
    void build(Stream<String> subscriptions) throws Exception;

    void readEvents(List<String> events) throws Exception;

    /** Matches the events from `first` to before `end` as one batch and puts the number of their matches into `counts`. */
    void match(int first, int end, int[] counts) throws Exception;

    /** Called in the midst of warming up, for libraries that adapt themselves to what they have seen. */
    default void adapt() {}
}
