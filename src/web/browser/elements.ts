/** Typed lookups in a document rendered by the server. */

/** Returns the first match, or null. Throws if it is an element of another type. */
export function findElement<E extends Element>(
  root: ParentNode,
  selector: string,
  type: new () => E,
): E | null {
  const found = root.querySelector(selector);
  return found && expectType(found, selector, type);
}

/** Returns the first match. Throws if there is none. */
export function requireElement<E extends Element>(root: ParentNode, selector: string, type: new () => E): E {
  const found = findElement(root, selector, type);
  if (!found) throw new Error(`${selector} is missing from the page`);
  return found;
}

/** Returns all matches in document order. Throws if one is an element of another type. */
export function findElements<E extends Element>(root: ParentNode, selector: string, type: new () => E): E[] {
  return Array.from(root.querySelectorAll(selector), (found) => expectType(found, selector, type));
}

/** Returns the value of a `data-` attribute, named in camel case. Throws if the element does not have it. */
export function requireData(element: HTMLElement, name: string): string {
  const value = element.dataset[name];
  if (value === undefined) throw new Error(`data attribute ${name} is missing`);
  return value;
}

function expectType<E extends Element>(element: Element, selector: string, type: new () => E): E {
  if (element instanceof type) return element;
  throw new Error(`${selector} is not an ${type.name}`);
}
