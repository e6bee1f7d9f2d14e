/** The people of the demo community. */
export const PEOPLE = {
  ada: { name: 'Ada Novak', locale: 'en', isAdministrator: true },
  boris: { name: 'Boris Lem', locale: 'en' },
  chen: { name: 'Chen Li', locale: 'en' },
  emil: { name: 'Emil Hartmann', locale: 'en' },
  hana: { name: 'Hana Sato', locale: 'en' },
  darya: { name: 'Дарья Орлова', locale: 'ru' },
  gosha: { name: 'Гоша Ветров', locale: 'ru' },
  marina: { name: 'Марина Кузнецова', locale: 'ru' },
} as const satisfies Record<string, { name: string; locale: 'en' | 'ru'; isAdministrator?: true }>

export type PersonKey = keyof typeof PEOPLE
