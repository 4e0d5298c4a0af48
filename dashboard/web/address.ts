/** Where the page is: segments of the hash, decoded, and its parameters. `#/r/demo/trials?status=failed` */
export interface PageAddress {
  segments: readonly string[];
  params: URLSearchParams;
}

/** The hash of a place. Parameters without a value are left out, so that equal views have equal addresses. */
export function hrefOf(segments: readonly string[], params: Record<string, string | number | null | undefined> = {}) {
  const given = Object.entries(params).flatMap(([key, value]) =>
    value === null || value === undefined || value === '' ? [] : [[key, String(value)]],
  );
  const query = new URLSearchParams(Object.fromEntries(given) as Record<string, string>).toString();
  return `#/${segments.map(encodeURIComponent).join('/')}${query === '' ? '' : `?${query}`}`;
}

/** A place from a hash; one that cannot be decoded is the start. */
export function parseAddress(hash: string): PageAddress {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  try {
    const segments = path.split('/').filter((part) => part !== '');
    return { segments: segments.map(decodeURIComponent), params: new URLSearchParams(query) };
  } catch {
    return { segments: [], params: new URLSearchParams() };
  }
}
