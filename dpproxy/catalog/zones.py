"""Time zones by their names, those that all engines know and that have had one name for years.

An engine raises for a zone that it does not know, as soon as there is a row: so no other is ever named to it.

Checked by: tests/test_zones.py.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC as UTC_ZONE
from datetime import datetime, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dpproxy.remembered import remembered

Change = Callable[[datetime], datetime]
UTC: Final = "UTC"
_CALLED: Final = {
    **dict.fromkeys(("Etc/UTC", "UCT", "Etc/UCT", "GMT", "Etc/GMT", "Zulu", "Etc/Zulu", "Universal"), UTC),
    "US/Eastern": "America/New_York",
    "US/Central": "America/Chicago",
    "US/Mountain": "America/Denver",
    "US/Pacific": "America/Los_Angeles",
    "Asia/Calcutta": "Asia/Kolkata",
    "Asia/Katmandu": "Asia/Kathmandu",
    "Asia/Saigon": "Asia/Ho_Chi_Minh",
    "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
}
"""Names that clients set, Java's among them."""
_PLACES: Final = {
    "Africa": """
        Abidjan Accra Addis_Ababa Algiers Asmara Bamako Bangui Banjul Bissau Blantyre Brazzaville Bujumbura Cairo
        Casablanca Ceuta Conakry Dakar Dar_es_Salaam Djibouti Douala El_Aaiun Freetown Gaborone Harare Johannesburg Juba
        Kampala Khartoum Kigali Kinshasa Lagos Libreville Lome Luanda Lubumbashi Lusaka Malabo Maputo Maseru Mbabane
        Mogadishu Monrovia Nairobi Ndjamena Niamey Nouakchott Ouagadougou Porto-Novo Sao_Tome Tripoli Tunis Windhoek""",
    "America": """
        Adak Anchorage Anguilla Antigua Araguaina Argentina/Buenos_Aires Argentina/Catamarca Argentina/Cordoba
        Argentina/Jujuy Argentina/La_Rioja Argentina/Mendoza Argentina/Rio_Gallegos Argentina/Salta Argentina/San_Juan
        Argentina/San_Luis Argentina/Tucuman Argentina/Ushuaia Aruba Asuncion Atikokan Bahia Bahia_Banderas Barbados
        Belem Belize Blanc-Sablon Boa_Vista Bogota Boise Cambridge_Bay Campo_Grande Cancun Caracas Cayenne Cayman
        Chicago Chihuahua Costa_Rica Creston Cuiaba Curacao Danmarkshavn Dawson Dawson_Creek Denver Detroit Dominica
        Edmonton Eirunepe El_Salvador Fort_Nelson Fortaleza Glace_Bay Goose_Bay Grand_Turk Grenada Guadeloupe Guatemala
        Guayaquil Guyana Halifax Havana Hermosillo Indiana/Indianapolis Indiana/Knox Indiana/Marengo Indiana/Petersburg
        Indiana/Tell_City Indiana/Vevay Indiana/Vincennes Indiana/Winamac Inuvik Iqaluit Jamaica Juneau
        Kentucky/Louisville Kentucky/Monticello Kralendijk La_Paz Lima Los_Angeles Lower_Princes Maceio Managua Manaus
        Marigot Martinique Matamoros Mazatlan Menominee Merida Metlakatla Mexico_City Miquelon Moncton Monterrey
        Montevideo Montserrat Nassau New_York Nome Noronha North_Dakota/Beulah North_Dakota/Center
        North_Dakota/New_Salem Ojinaga Panama Paramaribo Phoenix Port-au-Prince Port_of_Spain Porto_Velho Puerto_Rico
        Punta_Arenas Rankin_Inlet Recife Regina Resolute Rio_Branco Santarem Santiago Santo_Domingo Sao_Paulo
        Scoresbysund Sitka St_Barthelemy St_Johns St_Kitts St_Lucia St_Thomas St_Vincent Swift_Current Tegucigalpa Thule
        Tijuana Toronto Tortola Vancouver Whitehorse Winnipeg Yakutat""",
    "Antarctica": """
        Casey Davis DumontDUrville Macquarie Mawson McMurdo Palmer Rothera Syowa Troll Vostok""",
    "Asia": """
        Aden Almaty Amman Anadyr Aqtau Aqtobe Ashgabat Atyrau Baghdad Bahrain Baku Bangkok Barnaul Beirut Bishkek Brunei
        Chita Colombo Damascus Dhaka Dili Dubai Dushanbe Famagusta Gaza Hebron Ho_Chi_Minh Hong_Kong Hovd Irkutsk
        Jakarta Jayapura Jerusalem Kabul Kamchatka Karachi Kathmandu Khandyga Kolkata Krasnoyarsk Kuala_Lumpur Kuching
        Kuwait Macau Magadan Makassar Manila Muscat Nicosia Novokuznetsk Novosibirsk Omsk Oral Phnom_Penh Pontianak
        Pyongyang Qatar Qostanay Qyzylorda Riyadh Sakhalin Samarkand Seoul Shanghai Singapore Srednekolymsk Taipei
        Tashkent Tbilisi Tehran Thimphu Tokyo Tomsk Ulaanbaatar Urumqi Ust-Nera Vientiane Vladivostok Yakutsk Yangon
        Yekaterinburg Yerevan""",
    "Atlantic": """
        Azores Bermuda Canary Cape_Verde Faroe Madeira Reykjavik South_Georgia St_Helena Stanley""",
    "Australia": """
        Adelaide Brisbane Broken_Hill Darwin Eucla Hobart Lindeman Lord_Howe Melbourne Perth Sydney""",
    "Europe": """
        Amsterdam Andorra Astrakhan Athens Belgrade Berlin Bratislava Brussels Bucharest Budapest Busingen Chisinau
        Copenhagen Dublin Gibraltar Guernsey Helsinki Isle_of_Man Istanbul Jersey Kaliningrad Kirov Lisbon Ljubljana
        London Luxembourg Madrid Malta Mariehamn Minsk Monaco Moscow Oslo Paris Podgorica Prague Riga Rome Samara
        San_Marino Sarajevo Saratov Simferopol Skopje Sofia Stockholm Tallinn Tirane Ulyanovsk Vaduz Vatican Vienna
        Vilnius Volgograd Warsaw Zagreb Zurich""",
    "Indian": """
        Antananarivo Chagos Christmas Cocos Comoro Kerguelen Mahe Maldives Mauritius Mayotte Reunion""",
    "Pacific": """
        Apia Auckland Bougainville Chatham Chuuk Easter Efate Fakaofo Fiji Funafuti Galapagos Gambier Guadalcanal Guam
        Honolulu Kiritimati Kosrae Kwajalein Majuro Marquesas Midway Nauru Niue Norfolk Noumea Pago_Pago Palau Pitcairn
        Pohnpei Port_Moresby Rarotonga Saipan Tahiti Tarawa Tongatapu Wake Wallis""",
}
ZONES: Final = frozenset({UTC, *(f"{area}/{place}" for area, places in _PLACES.items() for place in places.split())})


def zone_of(setting: str | None) -> str:
    """The name by which a session's zone goes here; as it was set where it is none of `ZONES`."""
    return UTC if setting is None else _CALLED.get(setting, setting)


def known(zone: str) -> bool:
    """Whether local times of that zone can be told, here and in any engine."""
    return zone == UTC or (zone in ZONES and _rules(zone) is not None)


def local_of(moment: datetime, zone: str) -> datetime:
    """The local time of a moment, without a zone. Raises LookupError for a zone that is not known, OverflowError."""
    rules = _known_rules(zone)
    return moment.astimezone(rules).replace(tzinfo=None)


def moment_of(local: datetime, zone: str) -> datetime:
    """The moment of a local time, in UTC. Raises LookupError for a zone that is not known, OverflowError.

    A time that comes twice is the later one, and one that is left out is counted on from before: as Postgres has it.
    """
    rules = _known_rules(zone)
    offsets = [local.replace(tzinfo=rules, fold=fold).utcoffset() for fold in (0, 1)]
    return (local - min(each for each in offsets if each is not None)).replace(tzinfo=UTC_ZONE)


def _known_rules(zone: str) -> tzinfo:
    found = UTC_ZONE if zone == UTC else _rules(zone) if zone in ZONES else None
    if found is None:
        raise LookupError(zone)
    return found


@remembered(512)
def _rules(zone: str) -> tzinfo | None:
    """None where the machine has no such zone."""
    try:
        return ZoneInfo(zone)
    except ZoneInfoNotFoundError:
        return None
