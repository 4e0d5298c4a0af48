/** A file in an archive; `form`: how its content is packed, null if Perpetua cannot unpack it. */
export interface Entry {
  content: Uint8Array;
  form: 'stored' | 'deflate' | null;
}

/** Stands for the files of an archive that cannot be read for sure: another reader may find other files in it. */
export const UNREADABLE: Entry = { content: new Uint8Array(), form: null };

/** Most files of one archive. A search of more files takes too long. */
export const MOST_ENTRIES = 100_000;
