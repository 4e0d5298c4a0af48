// Readers of JSON values that refuse what they do not expect, in the words of the trainer.

export class Refusal extends Error {
  constructor(code, path, expected, got) {
    super(`${path}: expected ${expected}, got ${got}`);
    this.body = { code, path, expected, got: String(got).slice(0, 120) };
  }
}

/** An answer other than 200 that is no refusal of a batch. */
export class Problem extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function parse(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal('json', '', 'JSON in UTF-8', error.message);
  }
}

const show = (value) => JSON.stringify(value) ?? 'nothing';

function at(path, key) {
  if (typeof key === 'number') return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** An object with exactly these keys, and perhaps those of `may`; each is read by its reader. */
export function record(readers, may = {}) {
  return (value, path) => {
    const keys = Object.keys(readers).sort();
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new Refusal('type', path, `an object with ${keys.join(', ')}`, show(value));
    for (const key of Object.keys(value))
      if (!Object.hasOwn(readers, key) && !Object.hasOwn(may, key))
        throw new Refusal('unknown-key', at(path, key), `one of ${keys.join(', ')}`, `the key ${key}`);
    for (const key of keys)
      if (!Object.hasOwn(value, key))
        throw new Refusal(
          'missing-key',
          at(path, key),
          `the key ${key}`,
          `only ${Object.keys(value).sort().join(', ')}`,
        );
    for (const [key, read] of Object.entries({ ...readers, ...may }))
      if (Object.hasOwn(value, key)) read(value[key], at(path, key));
  };
}

export const number =
  (low = -3.4e38, high = 3.4e38) =>
  (value, path) => {
    if (typeof value !== 'number') throw new Refusal('type', path, 'a number', show(value));
    if (!(value >= low && value <= high)) throw new Refusal('range', path, `a number from ${low} to ${high}`, value);
  };

export const integer =
  (low = 0, high = Number.MAX_SAFE_INTEGER) =>
  (value, path) => {
    if (!Number.isSafeInteger(value)) throw new Refusal('type', path, 'an integer', show(value));
    number(low, high)(value, path);
  };

export function text(value, path) {
  if (typeof value !== 'string') throw new Refusal('type', path, 'a string', show(value));
  if (value === '') throw new Refusal('empty', path, 'a string that is not empty', 'an empty one');
}

export function anyText(value, path) {
  if (typeof value !== 'string') throw new Refusal('type', path, 'a string', show(value));
}

export function boolean(value, path) {
  if (typeof value !== 'boolean') throw new Refusal('type', path, 'true or false', show(value));
}

export function hex64(value, path) {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value))
    throw new Refusal('type', path, '64 hexadecimal digits in lower case', show(value));
}

export const choice =
  (...words) =>
  (value, path) => {
    if (!words.includes(value)) throw new Refusal('range', path, `one of ${words.join(', ')}`, show(value));
  };

/** The one value that is the policy's own distribution. */
export const off = (only) => (value, path) => {
  if (value !== only) throw new Refusal('off-policy', path, `${only}`, show(value));
};

export const optional = (read) => (value, path) => void (value === null || read(value, path));

/** An array with at least one item. */
export const array = (read) => (value, path) => {
  if (!Array.isArray(value)) throw new Refusal('type', path, 'an array', show(value));
  if (value.length === 0) throw new Refusal('empty', path, 'at least one item', 'none');
  value.forEach((one, index) => read(one, at(path, index)));
};
