/**
 * Error for a stored value that names a method, or a setting of a method, that this build does not have. An activity
 * that throws it fails with this name and is retried, so that a newer worker can take the work. No other method
 * replaces the unknown one.
 */
export class UnknownMethod extends Error {
  override readonly name = 'UnknownMethod';
  readonly axis: string;
  readonly value: string;

  constructor(axis: string, value: unknown, known: readonly string[]) {
    const shown = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
    super(
      `${axis}: this version does not know ${shown.slice(0, 200)}` +
        `${known.length > 0 ? `; it knows ${known.join(', ')}` : ''}. ` +
        'If a newer version stored it, start a worker of that version',
    );
    this.axis = axis;
    this.value = shown;
  }
}

/** The unknown value, as `search.proposer: name`, from the message of an UnknownMethod; null for any other message. */
export function unknownIn(message: string): string | null {
  const found = /^(.+?): this version does not know (.+?)(?:; it knows .*)?\. If a newer version stored it, /s.exec(
    message,
  );
  return found ? `${found[1]}: ${found[2]}` : null;
}
