//! Which addresses a host may lead to: a permitted name says nothing of where its owner points it.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use gsw_driver::web::Reach;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::connections::Names;

/// Looks up names and leaves out the addresses that are out of reach.
pub(crate) struct Within {
    pub names: Names,
    pub reach: Reach,
}

/// A name led only to addresses that are out of reach.
#[derive(Debug)]
pub(crate) struct OutOfReach {
    pub address: IpAddr,
}

impl fmt::Display for OutOfReach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it leads to {}, which is not permitted", self.address)
    }
}

impl std::error::Error for OutOfReach {}

impl Resolve for Within {
    fn resolve(&self, name: Name) -> Resolving {
        let (names, reach) = (self.names.clone(), self.reach);
        Box::pin(async move {
            let found = names.addresses(name.as_str().to_owned()).await?;
            let within = |it: &SocketAddr| is_within(reach, it.ip());
            let (within, outside): (Vec<_>, Vec<_>) = found.into_iter().partition(within);
            match outside.first() {
                Some(refused) if within.is_empty() => {
                    let address = refused.ip();
                    Err(OutOfReach { address }.into())
                }
                _ => Ok(Box::new(within.into_iter()) as Addrs),
            }
        })
    }
}

/// Whether a name with this reach may lead to an address.
pub(crate) fn is_within(reach: Reach, address: IpAddr) -> bool {
    match reach {
        Reach::Nowhere => false,
        Reach::Public => is_public(address),
        Reach::Listed => !is_of_machine(address),
        Reach::Anywhere => true,
    }
}

/// The IPv4 address that an IPv6 address embeds: mapped, NAT64 (RFC 6052) or 6to4 (RFC 3056).
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(of_halves(high, low)),
        [0x2002, high, low, ..] => Some(of_halves(high, low)),
        _ => address.to_ipv4_mapped(),
    }
}

fn of_halves(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))
}

/// Whether it is one of the addresses at which clouds keep the keys of a machine, and no service of others: they are link-local, but for
/// those of Alibaba and Azure (IPv4), AWS and Google (IPv6).
fn is_of_machine(address: IpAddr) -> bool {
    let of_v4 = |it: Ipv4Addr| {
        it.is_link_local() || matches!(it.octets(), [100, 100, 100, 200] | [168, 63, 129, 16])
    };
    match address {
        IpAddr::V4(address) => of_v4(address),
        IpAddr::V6(address) => match (embedded(address), address.segments()) {
            (Some(address), _) => of_v4(address),
            (None, [0xfd00, 0xec2, ..] | [0xfd20, 0xce, ..]) => true,
            // Compatible addresses (RFC 4291) and a NAT64 of one's own (RFC 8215) lead to no public address.
            (None, [0, 0, 0, 0, 0, 0, high, low] | [0x64, 0xff9b, 1, _, _, _, high, low]) => {
                of_v4(of_halves(high, low))
            }
            (None, _) => address.is_unicast_link_local(),
        },
    }
}

/// Whether an address belongs to everybody's network: not to this machine, a private network or a reserved range (the registries
/// of IANA for special-purpose addresses).
fn is_public(address: IpAddr) -> bool {
    !is_of_machine(address) && is_in_public_range(address)
}

fn is_in_public_range(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match embedded(address) {
            Some(address) => is_public_v4(address),
            // 2000::/3 is all that is given to networks; documentation (2001:db8::/32) and protocols (2001::/23) are in it.
            None => {
                let [first, second, ..] = address.segments();
                first & 0xe000 == 0x2000
                    && !(first == 0x2001 && (second < 0x200 || second == 0xdb8))
            }
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_shared = first == 100 && second & 0xc0 == 64;
    let is_protocol = (first, second, third) == (192, 0, 0);
    let is_benchmark = first == 198 && second & 0xfe == 18;
    !(first == 0
        || first >= 224
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || is_shared
        || is_protocol
        || is_benchmark)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use gsw_driver::web::Reach;

    use super::is_within;

    fn within(reach: Reach, address: &str) -> bool {
        is_within(reach, address.parse::<IpAddr>().expect("an address"))
    }

    #[test]
    fn a_wildcard_reaches_public_addresses_only() {
        for address in [
            "1.1.1.1",
            "100.128.0.1",
            "2606:4700::1111",
            "64:ff9b::101:101",
        ] {
            assert!(within(Reach::Public, address), "{address}");
        }
        for address in [
            "0.0.0.0",
            "10.0.0.1",
            "100.64.0.1",
            "127.0.0.1",
            "168.63.129.16",
            "169.254.169.254",
            "172.16.0.1",
            "192.168.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::101:101",
            "::127.0.0.1",
            "2002:7f00:1::1",
            "2001:db8::1",
            "fc00::1",
            "fe80::1",
            "ff02::1",
        ] {
            assert!(!within(Reach::Public, address), "{address}");
        }
    }

    #[test]
    fn a_listed_name_reaches_private_networks_but_no_keys_of_a_machine() {
        for address in ["127.0.0.1", "10.0.0.1", "::1", "fc00::1", "1.1.1.1"] {
            assert!(within(Reach::Listed, address), "{address}");
        }
        for address in [
            "169.254.169.254",
            "fe80::1",
            "::ffff:169.254.169.254",
            "::169.254.169.254",
            "64:ff9b:1::a9fe:a9fe",
            "100.100.100.200",
            "168.63.129.16",
            "fd00:ec2::254",
            "fd20:ce::254",
        ] {
            assert!(!within(Reach::Listed, address), "{address}");
        }
    }
}
