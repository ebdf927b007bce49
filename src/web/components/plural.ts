/** `1 device`, `2 devices`. */
export const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
