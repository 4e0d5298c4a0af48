/** Address of a page: the decoded segments and the parameters of a hash such as `#/r/demo/trials?status=failed`. */
export interface PageAddress {
  segments: readonly string[];
  params: URLSearchParams;
}

/** The hash of an address. Parameters without a value are left out, so that equal views have equal addresses. */
export function hrefOf(segments: readonly string[], params: Record<string, string | number | null | undefined> = {}) {
  const present = Object.entries(params).flatMap(([key, value]) =>
    value === null || value === undefined || value === '' ? [] : [[key, String(value)]],
  );
  const query = new URLSearchParams(Object.fromEntries(present) as Record<string, string>).toString();
  return `#/${segments.map(encodeURIComponent).join('/')}${query === '' ? '' : `?${query}`}`;
}

/** Reads the address from a hash. A hash that cannot be decoded is the start page. */
export function parseAddress(hash: string): PageAddress {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  try {
    const segments = path.split('/').filter((part) => part !== '');
    return { segments: segments.map(decodeURIComponent), params: new URLSearchParams(query) };
  } catch {
    return { segments: [], params: new URLSearchParams() };
  }
}
