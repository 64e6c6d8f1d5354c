//! The codes of the 38 depots, and what partner carriers call them.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;

/// Maps the names in partner files to our codes.
#[derive(Debug, Default)]
pub struct Depots {
    codes: HashMap<String, String>,
}

impl Depots {
    /// Reads lines of the form `LEY=Lelystad,lelystad-2,LLS`.
    pub fn load(file: &Path) -> io::Result<Self> {
        Ok(Self::parse(&fs::read_to_string(file)?))
    }

    fn parse(text: &str) -> Self {
        let mut codes = HashMap::new();
        for line in text.lines() {
            let Some((code, names)) = line.split_once('=') else {
                continue;
            };
            codes.insert(code.to_uppercase(), code.to_uppercase());
            for name in names.split(',') {
                codes.insert(name.trim().to_uppercase(), code.to_uppercase());
            }
        }
        Depots { codes }
    }

    /// Gives the code of a depot by any of its names. The case does not matter: the new depot
    /// Lelystad sent lower case and stopped a partition (INC-2025-05).
    pub fn code(&self, name: &str) -> Option<String> {
        self.codes.get(&name.trim().to_uppercase()).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::Depots;

    #[test]
    fn a_depot_is_found_by_any_name_in_any_case() {
        let depots = Depots::parse("LEY=Lelystad, LLS\nZWO=Zwolle");
        assert_eq!(Some("LEY".to_owned()), depots.code("lelystad"));
        assert_eq!(Some("ZWO".to_owned()), depots.code(" zwo "));
        assert_eq!(None, depots.code("Venlo"));
    }
}
