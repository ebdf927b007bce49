/** A queue in which owners take turns, so that another owner's tasks delay an owner's next task by at most one task. */
export interface FairQueue<Item> {
  readonly size: number;
  add(owner: string, item: Item): void;
  /** Returns an item to the front of the whole queue. */
  putBack(owner: string, item: Item): void;
  /** Removes the oldest item of the owner who has the next turn. */
  take(): Item | undefined;
  /** Removes all items. */
  clear(): Item[];
}

export function createFairQueue<Item>(): FairQueue<Item> {
  /** By owner, in the order of their turns. */
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
