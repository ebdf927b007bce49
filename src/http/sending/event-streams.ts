/**
 * Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). While at least one stream is open, the
 * node reads the state of each watched topic once per interval, and sends it to the streams of the topic if it has changed.
 * Polling works the same with both databases and any number of nodes.
 */
import { Readable } from 'node:stream';
import { TooManyRequests, unavailableForNow } from '../../core/errors.ts';
import { httpTexts } from '../http-texts.ts';
import { createAccessWatch, isRefusal, type WatchAccess } from './access-watch.ts';

export interface EventStreamLimits {
  maxPerHolder: number;
  /** Streams per node. */
  maxPerNode: number;
  /** How often a watched topic is read. */
  pollMs: number;
  /** How often a stream without events sends something, because proxies close idle connections. */
  heartbeatMs: number;
  /** How long a stream lasts. The client then opens a new one. */
  lifeMs: number;
}

export const defaultEventStreamLimits: EventStreamLimits = {
  maxPerHolder: 10,
  maxPerNode: 1000,
  pollMs: 1000,
  heartbeatMs: 15_000,
  lifeMs: 10 * 60_000,
};

export interface EventStreamOrder {
  /** Streams of the same holder are limited together. */
  holder: string;
  /** Streams of the same topic share its state. */
  topic: string;
  /** Returns the state, which is sent as JSON in a `change` event. */
  read(): Promise<object>;
  /** Rejects with an `AppError` if the stream must end. */
  reauthorize(): Promise<void>;
}

export interface EventStreams {
  /** Throws `TooManyRequests`, or `unavailable` while the node is shutting down. */
  open(order: EventStreamOrder): Promise<Readable>;
  /** Number of open streams. */
  count(): number;
  /** Also checks other answers that stay open, with which streams share the checks of the node. */
  watchAccess: WatchAccess;
  /** Ends every stream and accepts no more. */
  close(): void;
}

interface Stream extends Pick<EventStreamOrder, 'holder'> {
  topicName: string;
  topic: Topic;
  body: Readable;
  endsAt: number;
  sentAt: number;
  unwatch(): void;
}

interface Topic extends Pick<EventStreamOrder, 'read'> {
  streams: Set<Stream>;
  /** The state that was sent last. */
  state: string;
}

/** Retry times vary, so that clients do not all reconnect at once after their streams ended together. */
const minRetryMs = 1000;
const retrySpreadMs = 4000;
/** Limited, to leave database connections for requests. */
const readsAtOnce = 2;
const retryAfterSeconds = 60;

export function createEventStreams(of: { streams: EventStreamLimits; accessCheckMs: number }): EventStreams {
  const limits = of.streams;
  const watchAccess = createAccessWatch(of.accessCheckMs);
  const topics = new Map<string, Topic>();
  const streams = new Set<Stream>();
  const held = new Map<string, number>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let isLooking = false;
  let isClosed = false;

  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    try {
      const watched = [...topics.values()];
      for (let at = 0; at < watched.length; at += readsAtOnce)
        await Promise.all(watched.slice(at, at + readsAtOnce).map(refresh));
      for (const stream of streams) attend(stream);
    } finally {
      isLooking = false;
    }
  };
  const refresh = async (topic: Topic) => {
    try {
      const state = JSON.stringify(await topic.read());
      if (state === topic.state) return;
      topic.state = state;
      for (const stream of topic.streams) push(stream, changeOf(state));
    } catch {
      // The clients get the error at their next request.
      for (const stream of topic.streams) end(stream);
    }
  };
  const attend = (stream: Stream) => {
    const now = performance.now();
    if (now >= stream.endsAt) end(stream);
    else if (now - stream.sentAt >= limits.heartbeatMs) push(stream, ': heartbeat\n\n');
  };
  const refuse = (stream: Stream, error: unknown) => {
    // After other errors, such as a database that does not respond, the client tries again later.
    if (isRefusal(error)) push(stream, 'event: end\ndata: {}\n\n');
    end(stream);
  };
  const push = (stream: Stream, text: string) => {
    if (!streams.has(stream)) return;
    stream.body.push(text);
    stream.sentAt = performance.now();
  };
  const requireRoom = (holder: string) => {
    if (isClosed) throw unavailableForNow(httpTexts.stopping);
    if ((held.get(holder) ?? 0) >= limits.maxPerHolder)
      throw new TooManyRequests(['eventStreams', { limit: limits.maxPerHolder }], retryAfterSeconds);
    if (streams.size >= limits.maxPerNode) throw new TooManyRequests('eventStreamsOfNode', retryAfterSeconds);
  };
  const end = (stream: Stream) => {
    leave(stream);
    stream.body.push(null);
    // The client has stopped reading.
    if (stream.body.readableLength > 0) stream.body.destroy();
  };
  const leave = (stream: Stream) => {
    if (!streams.delete(stream)) return;
    stream.unwatch();
    stream.topic.streams.delete(stream);
    if (stream.topic.streams.size === 0) topics.delete(stream.topicName);
    const left = (held.get(stream.holder) ?? 1) - 1;
    if (left === 0) held.delete(stream.holder);
    else held.set(stream.holder, left);
    if (streams.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    open: async ({ holder, topic: topicName, read, reauthorize }) => {
      requireRoom(holder);
      const state = JSON.stringify(await read());
      requireRoom(holder);
      const topic = topics.get(topicName) ?? { read, state, streams: new Set() };
      topics.set(topicName, topic);
      const now = performance.now();
      const body = new Readable({ read: () => undefined });
      const stream: Stream = {
        holder,
        topicName,
        topic,
        body,
        endsAt: now + limits.lifeMs,
        sentAt: now,
        unwatch: watchAccess({ reauthorize, refuse: (error) => refuse(stream, error) }),
      };
      topic.streams.add(stream);
      streams.add(stream);
      held.set(holder, (held.get(holder) ?? 0) + 1);
      body.once('close', () => leave(stream));
      push(stream, `retry: ${Math.round(minRetryMs + Math.random() * retrySpreadMs)}\n${changeOf(state)}`);
      timer ??= setInterval(() => void look(), limits.pollMs);
      return body;
    },
    count: () => streams.size,
    watchAccess,
    close: () => {
      isClosed = true;
      for (const stream of streams) end(stream);
    },
  };
}

const changeOf = (state: string) => `event: change\ndata: ${state}\n\n`;
