/** What the doctor found of one thing. `missing` is needed and not there; `note` works without, or less well. */
export interface Finding {
  name: string;
  status: 'ok' | 'note' | 'missing';
  found: string;
  /** How to get it, or more of it; null where there is nothing to do. */
  fix: string | null;
}

export const ok = (name: string, found: string): Finding => ({ name, status: 'ok', found, fix: null });
export const remark = (name: string, found: string, fix: string | null = null): Finding => ({
  name,
  status: 'note',
  found,
  fix,
});
export const missing = (name: string, found: string, fix: string): Finding => ({ name, status: 'missing', found, fix });

/** The message of whatever was thrown, on one line. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0]?.trim() ?? '';
