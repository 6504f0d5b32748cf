/** Words to make a dispensary of. A table of facts; nothing here is a real company or person. */

export const FIRST_NAMES = ['Maya', 'José', 'Liam', 'Zoë', 'Amara', 'Noah', 'Priya', 'Łukasz', 'Grace', 'Mateo', 'Chloé', 'Elijah', 'Ingrid', 'Kenji', 'Sofía', 'Marcus', 'Aisha', 'Björn', 'Hannah', 'Diego', 'Renée', 'Tyrone', 'Mei', 'Oliver', 'Fatima', 'Sean', 'Anaïs', 'Victor', 'Naomi', 'Jürgen', 'Carmen', 'Ravi', 'Ruth', 'Andre', 'Siobhán', 'Wyatt', 'Leilani', 'Omar', 'Paula', 'Đorđe'] as const

export const LAST_NAMES = ['Nguyen', 'Garcia', 'Müller', 'Okafor', 'Smith', 'Peña', 'Kowalski', 'Johnson', 'Ibrahim', 'Silva', 'O’Brien', 'Tanaka', 'Washington', 'Åberg', 'Lopez', 'Patel', 'Dubois', 'Kim', 'Rossi', 'Martinez', 'Greene', 'Novák', 'Brown', 'Castillo', 'Fraser', 'Haddad', 'Jensen', 'Lefèvre', 'Moreno', 'Delacroix', 'Singh', 'Baptiste', 'Young', 'Zhang', 'Ortiz', 'Walker', 'Vásquez', 'Thompson', 'Becker', 'Hill'] as const

export const STREETS = ['Main St', 'Ocean Ave', 'Calle Olvera', 'Harbor Blvd', 'Vine St', 'Juniper Ln', 'Atlantic Ave', 'Mission St', 'Prospect Pl', 'Cañon Dr', 'Sunset Blvd', 'Rue Saint-Denis'] as const

export const VENDORS = ['Green Farms LLC', 'Emerald Ridge Cultivation', 'Coastline Distribution', 'Müller & Söhne Extrakte', 'High Desert Growers', 'Redwood Supply Co.', 'Sun & Soil Collective', 'North Fork Botanicals', 'Bluebird Edibles Kitchen', 'Cañada Verde Farms', 'Golden Gate Wholesale', 'Silver Creek Labs', 'Lighthouse Provisions', 'Old Mill Hemp', 'Terrace Gardens', 'Kestrel Logistics', 'Blackwater Concentrates', 'Hillside Harvest', 'Maison Délice', 'Piñon Valley Organics', 'River Bend Genetics', 'Summit Vape Works', 'Tidepool Topicals', 'Union Street Glass', 'Wild Rye Apothecary'] as const

export const BRANDS = ['Evergreen & Co', 'Lumen', 'Papa Lucho', 'Field Notes', 'Kind Hour', 'Night Heron', 'Señor Fuego', 'Daybreak', 'Pacific Stone Fruit', 'Juniper Jill', 'Moonlit', 'Café Sativa', 'Tall Grass', 'Driftwood', 'Honest Pound', 'Velvet Fox', 'Übermellow', 'Little Ember', 'Copperleaf', 'Hush', 'Marigold', 'Station 9', 'Ritual Supply', 'Bonfire Club', 'Plain Jane', 'Sundial', 'Lantern', 'Good Neighbor'] as const

export const STRAINS = ['Blue Dream', 'Jalapeño Haze', 'Wedding Cake', 'Sour Diesel', 'Crème Brûlée', 'Gelato 41', 'Granddaddy Purple', 'Jack Herer', 'Runtz', 'OG Kush', 'Maui Wowie', 'Papaya Punch', 'Northern Lights', 'Piña Express', 'Zkittlez', 'Durban Poison', 'Ice Cream Cake', 'Super Lemon Haze', 'Mimosa', 'Forbidden Fruit', 'GMO Cookies', 'Strawberry Cough', 'White Widow', 'Tropicana', 'Bubba Kush', 'Green Crack', 'Cherry Pie', 'Do-Si-Dos', 'Açaí Berry', 'LA Confidential'] as const

/** The first three are where seeded stock lies. */
export const ROOMS = [
  { name: 'Sales Floor', type: 'Field', roomType: 'FRONT_OF_HOUSE', active: true },
  { name: 'Vault', type: 'Storage', roomType: 'BACK_OF_HOUSE', active: true },
  { name: 'Quarantine', type: 'Quarantine', roomType: 'BACK_OF_HOUSE', active: true },
  { name: 'Delivery Safe', type: 'Field', roomType: 'FRONT_OF_HOUSE', active: true },
  { name: 'Cold Storage', type: 'Storage', roomType: 'BACK_OF_HOUSE', active: true },
  { name: 'Old Stock Room', type: 'Storage', roomType: 'BACK_OF_HOUSE', active: false },
] as const

export interface CategoryWords {
  name: string
  code: string
  cannabis: boolean
  /** Sold by weight: quantities are grams with two digits. */
  weighed: boolean
  /** How many of a hundred products. */
  share: number
  forms: readonly string[]
  /** Shelf price in cents. */
  cheapest: number
  dearest: number
}

export const CATEGORIES: readonly CategoryWords[] = [
  { name: 'Flower', code: 'FLW', cannabis: true, weighed: false, share: 22, forms: ['3.5g', '7g', '14g', '28g'], cheapest: 2400, dearest: 22000 },
  { name: 'Bulk Flower', code: 'BLK', cannabis: true, weighed: true, share: 8, forms: ['Deli Style'], cheapest: 650, dearest: 1600 },
  { name: 'Pre-Rolls', code: 'PRE', cannabis: true, weighed: false, share: 14, forms: ['Preroll 1g', 'Prerolls 5 x 0.5g', 'Infused Preroll'], cheapest: 600, dearest: 3800 },
  { name: 'Vape Cartridges', code: 'VAP', cannabis: true, weighed: false, share: 14, forms: ['Cartridge 0.5g', 'Cartridge 1g', 'Disposable 1g'], cheapest: 2200, dearest: 6500 },
  { name: 'Edibles', code: 'EDI', cannabis: true, weighed: false, share: 16, forms: ['Gummies 10pk', 'Chocolate Bar 100mg', 'Crème Caramels', 'Mints 20pk'], cheapest: 900, dearest: 2800 },
  { name: 'Concentrates', code: 'CON', cannabis: true, weighed: false, share: 8, forms: ['Live Resin 1g', 'Badder 1g', 'Rosin 1g'], cheapest: 2500, dearest: 7000 },
  { name: 'Tinctures', code: 'TIN', cannabis: true, weighed: false, share: 5, forms: ['Tincture 30ml'], cheapest: 2800, dearest: 8000 },
  { name: 'Topicals', code: 'TOP', cannabis: true, weighed: false, share: 4, forms: ['Balm 50g', 'Bath Soak'], cheapest: 1500, dearest: 5500 },
  { name: 'Accessories', code: 'ACC', cannabis: false, weighed: false, share: 7, forms: ['Grinder', 'Rolling Papers', 'Glass Pipe', 'Lighter'], cheapest: 200, dearest: 6000 },
  { name: 'Apparel', code: 'APP', cannabis: false, weighed: false, share: 2, forms: ['T-Shirt', 'Beanie'], cheapest: 1800, dearest: 4500 },
]
