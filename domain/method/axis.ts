import { z } from 'zod';
import { strict } from '../issue/describe-issue.ts';
import { UnknownMethod } from './unknown-method.ts';

/**
 * Common part of every method: the schema of its settings, without the name. Each setting has a default or is optional.
 */
export interface Method {
  settings: z.ZodObject;
}

/** Settings of a method that has none. */
export const NO_SETTINGS = z.strictObject({});

/**
 * Passes settings to a method whose type the caller does not know. This is safe after `methodOf`, which parses them
 * with the method's schema.
 */
export const asSettings = (settings: object): never => settings as never;

export type MethodTable = Readonly<Record<string, Method>>;
export type NameOf<T extends MethodTable> = keyof T & string;
/** A choice on an axis as a person writes it: a name, or a name with settings. */
export type Choice<T extends MethodTable> = {
  [N in NameOf<T>]: N | ({ name: N } & z.input<T[N]['settings']>);
}[NameOf<T>];

/** A choice resolved against its table, with default settings filled in. */
export type Chosen<T extends MethodTable> = {
  [N in NameOf<T>]: { name: N; method: T[N]; settings: z.output<T[N]['settings']> };
}[NameOf<T>];

/** The schema of a choice on an axis. It accepts the names in the table, and `words` as well. */
export function choiceSchema<T extends MethodTable, W extends string = never>(
  table: T,
  ...words: readonly W[]
): z.ZodType<Choice<T> | W, Choice<T> | W> {
  const names = [...words, ...Object.keys(table)] as [string, ...string[]];
  const withSettings = Object.entries(table).map(([name, method]) => namedSettings(name, method));
  return z.union([z.enum(names), ...withSettings]) as unknown as z.ZodType<Choice<T> | W, Choice<T> | W>;
}

/** The schema of one method as `{ name, …settings }`. */
export const namedSettings = (name: string, { settings }: Method) =>
  // The shape does not include the checks on several settings together.
  strict({ name: z.literal(name), ...settings.shape }).check(
    ...((settings.def.checks ?? []) as z.core.$ZodCheck<object>[]),
  );

/** The name of a choice; undefined for a value of another shape. */
export function choiceName(choice: unknown): string | undefined {
  if (typeof choice === 'string') return choice;
  const name: unknown = typeof choice === 'object' && choice !== null && 'name' in choice ? choice.name : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** A choice on one line: `asha`, or `asha {"eta":4}`. */
export function choiceText(choice: unknown): string {
  const settings = settingsIn(choice);
  const name = choiceName(choice) ?? String(choice);
  return Object.keys(settings).length === 0 ? name : `${name} ${JSON.stringify(settings)}`;
}

/** Looks up a stored choice in its axis' table. Throws UnknownMethod for a name or a setting that the table lacks. */
export function methodOf<T extends MethodTable>(axis: string, table: T, choice: unknown): Chosen<T> {
  const name = choiceName(choice);
  if (name === undefined || !Object.hasOwn(table, name)) throw new UnknownMethod(axis, choice, Object.keys(table));
  const method = table[name] as T[NameOf<T>];
  const settings = method.settings.safeParse(settingsIn(choice));
  if (!settings.success) throw new UnknownMethod(axis, choice, Object.keys(table));
  return { name, method, settings: settings.data } as Chosen<T>;
}

/** Settings of a choice as a person wrote them, without the defaults. */
export function settingsIn(choice: unknown): Readonly<Record<string, unknown>> {
  if (typeof choice !== 'object' || choice === null) return {};
  const { name, ...settings } = choice as Record<string, unknown>;
  void name;
  return settings;
}
