/** A queue in which owners take turns, so that the tasks of one never delay the next task of another by more than one of theirs. */
export interface FairQueue<Item> {
  readonly size: number;
  add(owner: string, item: Item): void;
  /** Returns an item to the front, to be the next of all. */
  putBack(owner: string, item: Item): void;
  /** Removes the oldest item of the owner whose turn it is. */
  take(): Item | undefined;
  /** Removes all items. */
  clear(): Item[];
}

export function createFairQueue<Item>(): FairQueue<Item> {
  /** In the order of their turns. */
  let waiting = new Map<string, Item[]>();
  return {
    get size() {
      return waiting.values().reduce((sum, items) => sum + items.length, 0);
    },
    add: (owner, item) => {
      const items = waiting.get(owner);
      if (items) items.push(item);
      else waiting.set(owner, [item]);
    },
    putBack: (owner, item) => {
      const items = waiting.get(owner) ?? [];
      waiting.delete(owner);
      waiting = new Map([[owner, [item, ...items]], ...waiting]);
    },
    take: () => {
      const [next] = waiting;
      if (!next) return undefined;
      const [owner, items] = next;
      const item = items.shift();
      waiting.delete(owner);
      if (items.length > 0) waiting.set(owner, items);
      return item;
    },
    clear: () => {
      const items = [...waiting.values()].flat();
      waiting.clear();
      return items;
    },
  };
}
