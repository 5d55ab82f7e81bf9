/**
 * The same function, which makes each value once. Only for values that follow from their key: state
 * has to stay visible in its module. The keys must be few, or held by `cache` weakly.
 */
export function memoized<Key, Value>(
  make: (key: Key) => Value,
  cache: Cache<Key, Value> = new Map(),
): (key: Key) => Value {
  return (key) => {
    const value = cache.get(key);
    if (value !== undefined || cache.has(key)) return value as Value;
    const made = make(key);
    cache.set(key, made);
    return made;
  };
}

interface Cache<Key, Value> {
  get(key: Key): Value | undefined;
  has(key: Key): boolean;
  set(key: Key, value: Value): unknown;
}

export function groupBy<K, T>(elements: Iterable<T>, keyOf: (element: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const element of elements) {
    const key = keyOf(element);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [element]);
    else group.push(element);
  }
  return groups;
}

/** Parts a list, in order, wherever the next element has another key. */
export function inStretches<T>(all: T[], keyOf: (element: T) => unknown): T[][] {
  const stretches: T[][] = [];
  let before: unknown;
  for (const element of all) {
    const key = keyOf(element);
    if (stretches.length === 0 || key !== before) stretches.push([]);
    stretches.at(-1)?.push(element);
    before = key;
  }
  return stretches;
}

/** Parts a list, in order, into lists of at most `size`. */
export function inParts<T>(all: T[], size: number): T[][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, part) => all.slice(part * size, (part + 1) * size));
}
