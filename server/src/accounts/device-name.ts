import bowser from 'bowser'

/** "Firefox on Linux": enough for people to recognize their own devices. */
export function deviceName(userAgent: string): string {
  const { browser, os } = bowser.parse(userAgent || ' ')
  const name = [browser.name, os.name].filter(Boolean).join(' on ')
  return printable(name) || printable(userAgent) || 'Unknown device'
}

/** An unknown browser is called what it calls itself, which may be anything. */
function printable(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, 60)
}
