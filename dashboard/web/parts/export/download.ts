export interface File {
  name: string;
  type: string;
  text: string;
}

/** Hands a text to the browser as a file to keep. */
export function download({ name, type, text }: File): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
