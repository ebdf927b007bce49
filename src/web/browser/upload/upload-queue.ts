export interface UploadQueue<Item> {
  add(item: Item): void;
  /** Removes a waiting item. Returns false if it was already started or never added. */
  withdraw(item: Item): boolean;
  /** Whether any item is waiting or being sent. */
  busy(): boolean;
}

/** Sends one item after another. A failed item does not block the next one. */
export function createUploadQueue<Item>(send: (item: Item) => Promise<void>): UploadQueue<Item> {
  const waiting: Item[] = [];
  let running = false;
  const run = async () => {
    if (running) return;
    running = true;
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await send(item).catch(() => undefined);
    }
    running = false;
  };
  return {
    add(item) {
      waiting.push(item);
      void run();
    },
    withdraw(item) {
      const place = waiting.indexOf(item);
      if (place < 0) return false;
      waiting.splice(place, 1);
      return true;
    },
    busy: () => running,
  };
}
